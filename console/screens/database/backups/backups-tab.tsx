/** The tab Backups of a database. */
import type { TabProps } from '../view.ts'

export function BackupsTab(_: TabProps) {
  return null
}
