/** The tab Danger of a database. */
import type { TabProps } from '../view.ts'

export function DangerTab(_: TabProps) {
  return null
}
