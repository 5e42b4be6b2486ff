/** The metrics that GET /metrics answers. */
import { metricsOf } from './backups/metrics.ts'
import { conditionFamily } from './conditions/metrics.ts'
import type { LoopFigures } from './lib/async/loop.ts'
import { loopFamilies } from './lib/async/loop-metrics.ts'
import { prometheusText } from './lib/prometheus.ts'
import type { Reader } from './store/schema.ts'

interface Sources {
  db: Reader
  now(): Date
  loops: { figures(): LoopFigures[] }
}

export async function metricsText({ db, now, loops }: Sources): Promise<string> {
  const families = [await conditionFamily(db), ...loopFamilies(loops.figures())]
  return (await metricsOf({ db, now })) + prometheusText(families)
}
