/** What the watch reads of databases and volumes in each of its turns: few columns, for there may be thousands. */
import { sql } from 'kysely'
import { prepared } from '../../store/prepared.ts'
import type { DatabaseTable, Reader, VolumeTable } from '../../store/schema.ts'

const columns = [
  'id',
  'kind',
  'appName',
  'volumeId',
  'observed',
  'containerState',
  'downSince',
  'applicationStatus',
  'statusReason',
  'drift',
  'lastDeployedAt',
  'provenTask',
] as const
const volumeColumns = ['id', 'name', 'nodeId', 'nodeName', 'nodeAddress', 'dataPath', 'serverVersion'] as const

/** `mark`: the beginning of its target, which no other sealing has: a nonce is in it. */
export type Watched = Pick<DatabaseTable, (typeof columns)[number]> & { mark: string | null }
export type WatchedVolume = Pick<VolumeTable, (typeof volumeColumns)[number]>

/** The version and the key of a sealing, and its nonce: no two targets begin alike. */
const markLength = 48

export const markOf = (target: string | null) => target?.slice(0, markLength) ?? null

/** The database, unless a call or other work came in since it was read, ended by now or not. */
export async function unchangedRow(db: Reader, seen: Watched): Promise<DatabaseTable | undefined> {
  const row = await db
    .selectFrom('database')
    .selectAll()
    .where('id', '=', seen.id)
    .where('goal', '=', 'up')
    .where('deploymentId', 'is', null)
    .executeTakeFirst()
  return row?.lastDeployedAt === seen.lastDeployedAt && markOf(row.target) === seen.mark ? row : undefined
}

/** Those that should be up and that nobody is working on; of each target its beginning. */
export const databasesUp = prepared((db) =>
  db
    .selectFrom('database')
    .select(columns)
    .select(({ fn, ref }) => fn<string | null>('substr', [ref('target'), sql.lit(1), sql.lit(markLength)]).as('mark'))
    .where('goal', '=', 'up')
    .where('deploymentId', 'is', null),
)

export const attachedVolumes = prepared((db) =>
  db
    .selectFrom('volume')
    .select(volumeColumns)
    .where('ownerKind', '=', sql.lit('database'))
    .where('ownerId', 'is not', null),
)
