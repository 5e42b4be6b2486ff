/** Rows -> records: the flat wire fields and `<kind>Id` are made here and nowhere else. */
import type { Config } from '../../config.ts'
import { columnNames, pick } from '../columns.ts'
import { driftAnswer, statusAnswer } from '../status-message.ts'
import { refuse } from '../../errors.ts'
import { resolveImage } from '../../kinds/images.ts'
import type { Kind } from '../../kinds/kind.ts'
import { mask } from '../../lib/crypto/mask.ts'
import { prepared } from '../../store/prepared.ts'
import type { DatabaseTable, Reader } from '../../store/schema.ts'
import { openEnv, openSettings, openTarget, pinOf, resolvedImage, type Settings, type Target } from '../targets.ts'
import type { Vault } from '../../store/vault.ts'
import type { DataFault } from '../../volumes/table.ts'

/** A row with where its volume lies. */
export type Row = DatabaseTable &
  Partial<Record<'volumeName' | 'nodeName' | 'nodeAddress', string | null>> & { volumeFault?: DataFault | null }

/** Every column of the database and those of its volume, by one statement. Leaves out what is being removed. */
export function selectRows(db: Reader) {
  return db
    .selectFrom('database')
    .leftJoin('volume', 'volume.id', 'database.volumeId')
    .selectAll('database')
    .select(['volume.name as volumeName', 'volume.nodeName', 'volume.nodeAddress', 'volume.fault as volumeFault'])
    .where('database.goal', '!=', 'gone')
}

const listColumns = [
  'id',
  'kind',
  'name',
  'appName',
  'settings',
  'dockerImage',
  ...columnNames,
  'statusReason',
  'pendingChanges',
  'createdAt',
  'projectId',
] as const

export type ListRow = Pick<DatabaseTable, (typeof listColumns)[number]>

/** Only what lists show: half of the columns, and none of the long ones. Leaves out what is being removed. */
export function selectListRows(db: Reader) {
  return db.selectFrom('database').select(listColumns).where('goal', '!=', 'gone')
}

const rowById = prepared((db, id: string, kind: string) =>
  selectRows(db).where('database.id', '=', id).where('database.kind', '=', kind),
)

/** Refuses with NOT_FOUND; an id of another kind is not found either. */
export async function findRow(db: Reader, kind: Kind, id: string): Promise<Row> {
  const [row] = await rowById(db, id, kind.name)
  return row ?? refuse('NOT_FOUND', `There is no such ${kind.label} service. project.one lists those of a project`)
}

/** Of services with work under way or their volume: nothing but what the columns say. */
export function toListRecord(row: ListRow, kind: Kind, vault: Vault) {
  return flat(row, kind, vault, maskedSettings(row, kind))
}

/** What a record is made with. */
export interface Answering {
  config: Config
  vault: Vault
  db: Reader
}

const backupsOf = prepared((db, id: string) =>
  db
    .selectFrom('backup')
    .select(['id as backupId', 'schedule', 'timezone', 'enabled', 'database', 'destinationId', 'nextAt'])
    .where('databaseId', '=', id)
    .orderBy('id'),
)

/** The whole record, its passwords masked unless `isOpen`. */
export async function toRecord({ config, vault, db }: Answering, row: Row, kind: Kind, isOpen: boolean) {
  const settings = isOpen ? openSettings(vault, 'database', row) : maskedSettings(row, kind)
  const target = openTarget(vault, 'target', row)
  const image = target === null ? null : resolvedImage(target)
  return {
    ...flat(row, kind, vault, settings),
    resolvedImage: resolveImage(row.dockerImage, config.imageAliases),
    imageDigest: image === null ? null : pinOf(image),
    imageVersion: image?.version ?? null,
    connection: connectionOf(row, kind, config, runningOf(row, kind, target, settings, isOpen)),
    node: row.nodeName ?? row.node,
    nodeLabel: row.nodeLabel,
    containerState: row.containerState,
    ...driftAnswer(row.drift),
    volume: row.volumeName ?? null,
    volumeFault: row.volumeFault ?? null,
    lastDeployedAt: row.lastDeployedAt,
    backups: (await backupsOf(db, row.id)).map((backup) => ({ ...backup, enabled: backup.enabled === 1 })),
  }
}

type Running = Pick<Target, 'settings' | 'externalPort'>

/** What one connects to: the target while it runs, for the record may already be ahead of it. */
function runningOf(row: Row, kind: Kind, target: Target | null, settings: Settings, isOpen: boolean): Running {
  if (target === null || row.pendingChanges === 0) return { settings, externalPort: row.externalPort }
  const masks = Object.fromEntries(kind.secrets.map((name) => [name, mask]))
  return { settings: isOpen ? target.settings : { ...target.settings, ...masks }, externalPort: target.externalPort }
}

function maskedSettings(row: ListRow, kind: Kind): Settings {
  const settings = JSON.parse(row.settings) as Settings
  for (const name of kind.secrets) settings[name] = mask
  return settings
}

function flat(row: ListRow, kind: Kind, vault: Vault, settings: Settings) {
  return {
    ...settings,
    [kind.idField]: row.id,
    name: row.name,
    appName: row.appName,
    dockerImage: row.dockerImage,
    ...pick(row, columnNames),
    env: openEnv(vault, row),
    ...statusAnswer(row.statusReason),
    pendingChanges: row.pendingChanges === 1,
    createdAt: row.createdAt,
    projectId: row.projectId ?? '',
  }
}

function connectionOf(row: Row, kind: Kind, config: Config, { settings, externalPort }: Running) {
  const internalUrl = kind.url(settings, { host: row.appName, port: kind.port })
  const host = config.publicHost ?? row.nodeAddress ?? null
  const isOpen = externalPort !== null && row.goal === 'up' && host !== null
  return { internalUrl, externalUrl: isOpen ? kind.url(settings, { host, port: externalPort }) : null }
}
