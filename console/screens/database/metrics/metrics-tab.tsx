/** The tab Metrics of a database. */
import type { TabProps } from '../view.ts'

export function MetricsTab(_: TabProps) {
  return null
}
