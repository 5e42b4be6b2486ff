/** The tab Settings of a database. */
import { Link } from 'wouter-preact'
import { databasePath } from '../../../routes.ts'
import type { TabProps } from '../view.ts'
import { EnvironmentForm } from './environment-form.tsx'
import { SettingsForm } from './settings-form.tsx'

export function SettingsTab(props: TabProps) {
  return (
    <>
      <SettingsForm {...props} />
      <EnvironmentForm {...props} />
      <p class="muted">
        The external port is changed under <Link href={databasePath(props.databaseId, 'connect')}>Connect</Link>,
        because it takes effect at once.
      </p>
    </>
  )
}
