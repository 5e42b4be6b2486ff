/** The tab Logs of a database. */
import type { TabProps } from '../view.ts'

export function LogsTab(_: TabProps) {
  return null
}
