/** What the tabs of a database have in common: its record, which follows the events, and its work. */
import type { ReadonlySignal } from '@preact/signals'
import { api } from '../../data/api.ts'
import { readTagged, type Tagged } from '../../data/forms/read-tagged.ts'
import type { DatabaseRecord, Kind } from '../../data/kinds.ts'
import { callDatabase, idInput } from '../../data/kinds.ts'
import type { Deployment } from '../../data/lists/work.ts'
import { type Query, useQuery } from '../../data/live/query.ts'

export interface TabProps {
  kind: Kind
  databaseId: string
  /** The record as Berth answered it last, with masked passwords. */
  record: DatabaseRecord
  /** The tag of that record, for If-Match. */
  etag: ReadonlySignal<string | null>
  /** What the command line calls the database: `shop/orders`. */
  path: string
}

/** The record with masked passwords. Berth does not record this read as a read of secrets. */
export const useRecord = (kind: Kind, databaseId: string): Query<DatabaseRecord> =>
  useQuery(`${kind}.one` as 'postgres.one', maskedInput(kind, databaseId) as never, {
    kinds: ['database'],
    recordId: databaseId,
  }) as unknown as Query<DatabaseRecord>

/** The newest deployments of the database, newest first. */
export const useDeployments = (databaseId: string, limit: number): Query<Deployment[]> =>
  useQuery('deployment.all', { serviceId: databaseId, order: 'desc', limit })

/** The record with its passwords. Berth records this read in the audit log. */
export const readSecrets = async ({ kind, databaseId }: Pick<TabProps, 'kind' | 'databaseId'>) =>
  (await callDatabase(kind, 'one', databaseId)) as DatabaseRecord

/** The record with masked passwords as it is now, with its tag for If-Match. */
export const readDatabase = (kind: Kind, databaseId: string): Promise<Tagged<DatabaseRecord>> =>
  readTagged(async (options) => {
    const record = await api.call(`${kind}.one` as string, maskedInput(kind, databaseId), options)
    return record as DatabaseRecord
  })

const maskedInput = (kind: Kind, databaseId: string) => ({ ...idInput(kind, databaseId), masked: true })
