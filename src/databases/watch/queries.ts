/**
 * The queries of the watch loop. Those that read all databases or volumes read few columns, because there can be
 * thousands of them.
 */
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
const volumeColumns = [
  'id',
  'name',
  'nodeId',
  'nodeName',
  'nodeAddress',
  'foundNodeName',
  'dataPath',
  'serverVersion',
  'generation',
] as const

/** The columns of a watched database. `targetPrefix` is the beginning of the sealed target. */
export type Watched = Pick<DatabaseTable, (typeof columns)[number]> & { targetPrefix: string | null }
/** The columns of a watched volume. `startPrefix` is the beginning of its sealed `startSecrets`. */
export type WatchedVolume = Pick<VolumeTable, (typeof volumeColumns)[number]> & { startPrefix: string | null }

/**
 * The number of characters of a sealed value that are compared. They contain the version, key and nonce of the sealed
 * value. The nonce is unique, so no two stored values have the same prefix.
 */
const sealedPrefixLength = 48

export const sealedPrefixOf = (sealed: string | null) => sealed?.slice(0, sealedPrefixLength) ?? null

/** The database's present row; undefined if a deployment has begun or ended since `watched` was read. */
export async function unchangedRow(db: Reader, watched: Watched): Promise<DatabaseTable | undefined> {
  const row = await db
    .selectFrom('database')
    .selectAll()
    .where('id', '=', watched.id)
    .where('goal', '=', 'up')
    .where('deploymentId', 'is', null)
    .executeTakeFirst()
  return row?.lastDeployedAt === watched.lastDeployedAt && sealedPrefixOf(row.target) === watched.targetPrefix
    ? row
    : undefined
}

/** Databases that should be up and have no deployment in progress, with the beginning of their target. */
export const databasesUp = prepared((db) =>
  db
    .selectFrom('database')
    .select(columns)
    .select(({ fn, ref }) =>
      fn<string | null>('substr', [ref('target'), sql.lit(1), sql.lit(sealedPrefixLength)]).as('targetPrefix'),
    )
    .where('goal', '=', 'up')
    .where('deploymentId', 'is', null),
)

export const attachedVolumes = prepared((db) =>
  db
    .selectFrom('volume')
    .select(volumeColumns)
    .select(({ fn, ref }) =>
      fn<string | null>('substr', [ref('startSecrets'), sql.lit(1), sql.lit(sealedPrefixLength)]).as('startPrefix'),
    )
    .where('ownerKind', '=', sql.lit('database'))
    .where('ownerId', 'is not', null),
)
