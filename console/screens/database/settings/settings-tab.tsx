/** The tab Settings of a database. */
import type { TabProps } from '../view.ts'

export function SettingsTab(_: TabProps) {
  return null
}
