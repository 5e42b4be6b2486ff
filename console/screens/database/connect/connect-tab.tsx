/** The tab Connect of a database. */
import type { TabProps } from '../view.ts'

export function ConnectTab(_: TabProps) {
  return null
}
