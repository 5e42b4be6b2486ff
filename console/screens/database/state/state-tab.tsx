/** The tab State of a database. */
import type { TabProps } from '../view.ts'

export function StateTab(_: TabProps) {
  return null
}
