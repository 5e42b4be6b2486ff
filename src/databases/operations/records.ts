/** Reads rows of databases and converts them to API records. */
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

/** A row of `database` with the location of its volume. */
export type Row = DatabaseTable &
  Partial<Record<'volumeName' | 'nodeName' | 'nodeAddress', string | null>> & { volumeFault?: DataFault | null }

/** Selects all columns of databases and the location of their volumes. Excludes databases that are being removed. */
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

/** Selects only the columns of list records. Excludes databases that are being removed. */
export function selectListRows(db: Reader) {
  return db.selectFrom('database').select(listColumns).where('goal', '!=', 'gone')
}

const rowById = prepared((db, id: string, kind: string) =>
  selectRows(db).where('database.id', '=', id).where('database.kind', '=', kind),
)

/** Reads one row. Refuses with NOT_FOUND if there is no row of this kind with this id. */
export async function findRow(db: Reader, kind: Kind, id: string): Promise<Row> {
  const [row] = await rowById(db, id, kind.name)
  return row ?? refuse('NOT_FOUND', `No ${kind.label} service with this id. project.all lists every service`)
}

/** The record of a service in a list, with masked passwords. */
export function toListRecord(row: ListRow, kind: Kind, vault: Vault) {
  return recordFields(row, kind, vault, maskedSettings(row, kind))
}

/** The dependencies of `toRecord`. */
export interface RecordContext {
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

/**
 * The complete record.
 *
 * @param shouldShowPasswords whether the passwords are shown instead of masked
 */
export async function toRecord(
  { config, vault, db }: RecordContext,
  row: Row,
  kind: Kind,
  shouldShowPasswords: boolean,
) {
  const settings = shouldShowPasswords ? openSettings(vault, 'database', row) : maskedSettings(row, kind)
  const target = openTarget(vault, 'target', row)
  const image = target === null ? null : resolvedImage(target)
  return {
    ...recordFields(row, kind, vault, settings),
    resolvedImage: resolveImage(row.dockerImage, config.imageAliases),
    imageDigest: image === null ? null : pinOf(image),
    imageVersion: image?.version ?? null,
    connection: connectionOf(row, kind, config, connectionSettingsOf(row, kind, target, settings, shouldShowPasswords)),
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

type ConnectionSettings = Pick<Target, 'settings' | 'externalPort'>

/** The settings and port that clients connect with. If the record has pending changes, both come from the target. */
function connectionSettingsOf(
  row: Row,
  kind: Kind,
  target: Target | null,
  settings: Settings,
  shouldShowPasswords: boolean,
): ConnectionSettings {
  if (target === null || row.pendingChanges === 0) return { settings, externalPort: row.externalPort }
  const masks = Object.fromEntries(kind.secrets.map((name) => [name, mask]))
  return {
    settings: shouldShowPasswords ? target.settings : { ...target.settings, ...masks },
    externalPort: target.externalPort,
  }
}

function maskedSettings(row: ListRow, kind: Kind): Settings {
  const settings = JSON.parse(row.settings) as Settings
  for (const name of kind.secrets) settings[name] = mask
  return settings
}

function recordFields(row: ListRow, kind: Kind, vault: Vault, settings: Settings) {
  return {
    ...missingSettings(kind),
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

/** Null for each setting of the kind: an optional one that was not set is not stored. */
const missingSettings = ({ settings }: Kind) =>
  Object.fromEntries(Object.keys(settings.shape).map((name) => [name, null]))

function connectionOf(row: Row, kind: Kind, config: Config, { settings, externalPort }: ConnectionSettings) {
  const internalUrl = kind.url(settings, { host: row.appName, port: kind.port })
  const host = config.publicHost ?? row.nodeAddress ?? null
  const hasExternalUrl = externalPort !== null && row.goal === 'up' && host !== null
  return { internalUrl, externalUrl: hasExternalUrl ? kind.url(settings, { host, port: externalPort }, true) : null }
}
