/** The state of the loops as Prometheus metrics. */
import type { LoopFigures } from './loop.ts'
import type { Family } from '../prometheus.ts'

export function loopFamilies(figures: readonly LoopFigures[]): Family[] {
  const ended = figures.flatMap(({ name, lastTurn }) => (lastTurn === null ? [] : [{ loop: name, ...lastTurn }]))
  return [
    {
      name: 'berth_loop_failures',
      help: 'Turns that failed since the last successful turn.',
      samples: figures.map(({ name, failures }) => [{ loop: name }, failures] as const),
    },
    {
      name: 'berth_loop_last_turn_seconds',
      help: 'Duration of the last turn. Absent until a turn has ended.',
      samples: ended.map(({ loop, tookMs }) => [{ loop }, tookMs / 1000] as const),
    },
    {
      name: 'berth_loop_last_turn_age_seconds',
      help: 'Time since the last turn ended. Absent until a turn has ended.',
      samples: ended.map(({ loop, agoMs }) => [{ loop }, agoMs / 1000] as const),
    },
  ]
}
