/** The metrics that GET /metrics answers. */
import { metricsOf } from './backups/metrics.ts'
import { conditionFamily } from './conditions/metrics.ts'
import type { EventStreams } from './events/follow.ts'
import { eventFamilies } from './events/metrics.ts'
import type { Gate } from './gate/gate.ts'
import { gateFamily } from './gate/metrics.ts'
import type { LoopFigures } from './lib/async/loop.ts'
import { loopFamilies } from './lib/async/loop-metrics.ts'
import { prometheusText } from './lib/prometheus.ts'
import type { Reader } from './store/schema.ts'

interface Sources {
  db: Reader
  now(): Date
  loops: { figures(): LoopFigures[] }
  events: Pick<EventStreams, 'figures'>
  gate: Gate
}

export async function metricsText({ db, now, loops, events, gate }: Sources): Promise<string> {
  const families = [
    await conditionFamily(db),
    gateFamily(gate),
    ...(await eventFamilies(db, events.figures())),
    ...loopFamilies(loops.figures()),
  ]
  return (await metricsOf({ db, now })) + prometheusText(families)
}
