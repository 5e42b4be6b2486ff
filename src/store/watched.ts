/** What the watch reads of databases and volumes in each of its turns: few columns, for there may be thousands. */
import { sql } from 'kysely'
import { prepared } from './prepared.ts'
import type { DatabaseTable, VolumeTable } from './schema.ts'

const columns = [
  'id', 'kind', 'appName', 'volumeId', 'observed', 'containerState', 'downSince', 'applicationStatus', 'statusReason',
  'drift',
] as const
const volumeColumns = ['id', 'name', 'nodeId', 'nodeName', 'nodeAddress', 'dataPath', 'serverVersion'] as const

export type Watched = Pick<DatabaseTable, typeof columns[number]>
export type WatchedVolume = Pick<VolumeTable, typeof volumeColumns[number]>

/** The version and the key of a sealing, and its nonce: no two targets begin alike. */
const markLength = 48

/** Those that should be up and that nobody is working on; of each target its beginning. */
export const databasesUp = prepared((db) => db.selectFrom('database').select(columns)
  .select(({ fn, ref }) => fn<string | null>('substr', [ref('target'), sql.lit(1), sql.lit(markLength)]).as('mark'))
  .where('goal', '=', 'up').where('deploymentId', 'is', null))

export const attachedVolumes = prepared((db) =>
  db.selectFrom('volume').select(volumeColumns).where('databaseId', 'is not', null))
