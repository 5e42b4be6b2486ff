/** What the tabs of a database have in common: its record, which follows the events, and its work. */
import type { DatabaseRecord, Kind } from '../../data/kinds.ts'
import { callDatabase, idInput } from '../../data/kinds.ts'
import { type Query, useQuery } from '../../data/query.ts'

export interface TabProps {
  kind: Kind
  databaseId: string
  /** The record as Berth answered it last, with masked passwords. */
  record: DatabaseRecord
}

/** The record with masked passwords. Berth does not record this read as a read of secrets. */
export const useRecord = (kind: Kind, databaseId: string): Query<DatabaseRecord> =>
  useQuery(`${kind}.one` as 'postgres.one', recordInput(kind, databaseId) as never, {
    kinds: ['database'],
    recordId: databaseId,
  }) as unknown as Query<DatabaseRecord>

const recordInput = (kind: Kind, databaseId: string) => ({ ...idInput(kind, databaseId), masked: true })

/** The record with its passwords. Berth records this read in the audit log. */
export const readSecrets = async ({ kind, databaseId }: Pick<TabProps, 'kind' | 'databaseId'>) =>
  (await callDatabase(kind, 'one', databaseId)) as DatabaseRecord
