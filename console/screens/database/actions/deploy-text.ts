/** What a deploy of a database will do, in words. Pure. */
import type { DatabaseRecord } from '../../../data/kinds.ts'

type Facts = Pick<DatabaseRecord, 'lastDeployedAt' | 'volume' | 'pendingChanges' | 'applicationStatus'>

export function deployText({ lastDeployedAt, volume, pendingChanges, applicationStatus }: Facts): string {
  if (lastDeployedAt === null && volume === null) {
    return 'Berth creates the volume and the service, starts the server and logs in. The first start can take a minute.'
  }
  if (lastDeployedAt === null) {
    return pendingChanges
      ? 'No deploy has succeeded so far. Berth tries again with the settings that were changed since, and starts the server.'
      : 'No deploy has succeeded so far, and the settings are the same as at the last attempt. Berth tries again.'
  }
  if (pendingChanges) {
    return (
      'Berth applies the saved changes. If they concern the server itself, its container is replaced: clients lose ' +
      'their connections for some seconds.'
    )
  }
  if (applicationStatus === 'error') {
    return 'The settings are the same as at the last deploy. Berth applies them again and starts the database.'
  }
  return (
    'The record is the same as what was deployed. Berth undoes changes that were made outside, and starts the ' +
    'database if it is stopped.'
  )
}
