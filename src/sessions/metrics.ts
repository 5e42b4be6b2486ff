/** The sessions as Prometheus metrics. */
import type { Family } from '../lib/prometheus.ts'
import type { SessionFigures } from './sessions.ts'

export function sessionFamilies({ open, begun }: SessionFigures): Family[] {
  const samplesOf = (counts: Record<string, number>) =>
    Object.entries(counts).map(([mode, count]) => [{ mode }, count] as const)
  return [
    { name: 'berth_sessions', help: 'Number of open sessions, by mode.', samples: samplesOf(open) },
    {
      name: 'berth_sessions_begun_total',
      help: 'Number of sessions that have begun, by mode.',
      type: 'counter',
      samples: samplesOf(begun),
    },
  ]
}
