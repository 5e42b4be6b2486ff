/** Computes and validates changes of a database's record. Each error names the invalid field. */
import { randomBytes } from 'node:crypto'
import type { Config } from '../../config.ts'
import { columnNames, pick, placementNames } from '../columns.ts'
import { refuse, refuseField } from '../../errors.ts'
import { type Kind, lastingIn } from '../../kinds/kind.ts'
import { mask } from '../../lib/crypto/mask.ts'
import { prepared } from '../../store/prepared.ts'
import type { DatabaseTable, Reader, Writer } from '../../store/schema.ts'
import {
  openEnv,
  openSettings,
  openTarget,
  sameTarget,
  sealEnv,
  sealSettings,
  type Settings,
  settingsOfVolume,
  targetOf,
} from '../targets.ts'
import type { Vault } from '../../store/vault.ts'
import type { UpdateInput } from './fields.ts'
import type { Row } from './records.ts'
import * as volumes from '../../volumes/queries.ts'
import { portOwnerOf } from '../../ports/port-owners.ts'
import { isBerthServiceName } from '../../gateways/own-names.ts'

const projectById = prepared((db, id: string) => db.selectFrom('project').select('id').where('id', '=', id))

export async function checkProject(db: Reader, projectId: string): Promise<void> {
  const [project] = await projectById(db, projectId)
  if (project === undefined) {
    refuseField('projectId', 'No project with this id. project.all lists every project', 'NOT_FOUND')
  }
}

const databasesNamed = prepared((db, name: string, ownId: string) =>
  db
    .selectFrom('database')
    .select('id')
    .where((eb) => eb(eb.fn('lower', ['appName']), '=', name))
    .where('id', '!=', ownId),
)

const foreignServicesNamed = prepared((db, name: string) =>
  db
    .selectFrom('application')
    .select('name')
    .where((eb) => eb(eb.fn('lower', ['name']), '=', name))
    .where('isOwn', '=', 0),
)

/**
 * Whether another service on the swarm has this name, or the name is reserved for Berth's own services. Ignores case.
 *
 * @param ownId the id of the database that requests the name; its present name does not count as taken
 */
export async function isNameTaken(db: Reader, appName: string, ownId = ''): Promise<boolean> {
  const name = appName.toLowerCase()
  if (isBerthServiceName(name)) return true
  const [own, foreign] = [await databasesNamed(db, name, ownId), await foreignServicesNamed(db, name)]
  return own.length > 0 || foreign.length > 0
}

export function refuseName(appName: string): never {
  refuseField('appName', `Another service on the swarm is called ${appName}. Choose another appName`, 'CONFLICT')
}

/**
 * Derives a service name of lower-case letters, digits and `-` from `name`, or uses the name of the kind if `name` has
 * no such characters. If the result is taken, adds a random suffix.
 */
export async function makeAppName(db: Reader, name: string, kind: Kind): Promise<string> {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 50)
  const base = slug.replace(/-+$/, '') || kind.name
  if (!(await isNameTaken(db, base))) return base
  return `${base}-${randomBytes(4).toString('hex')}`
}

export async function checkPort(db: Reader, row: Pick<Row, 'id'>, port: number | null, config: Config): Promise<void> {
  if (port === null) return
  const owner = await portOwnerOf(db, config, { port, protocol: 'tcp', databaseId: row.id })
  if (owner !== null) refuseField('externalPort', `${port} is ${owner}. Choose another port`, 'CONFLICT')
}

export function checkReservations(row: Row): void {
  const isAbove = (reservation: number | null, limit: number | null) =>
    reservation !== null && limit !== null && reservation > limit
  if (isAbove(row.memoryReservation, row.memoryLimit)) refuseField('memoryReservation', 'must not be above memoryLimit')
  if (isAbove(row.cpuReservation, row.cpuLimit)) refuseField('cpuReservation', 'must not be above cpuLimit')
}

/** The settings in an input. Null removes an optional setting. */
type SettingsInput = Record<string, string | null>

/**
 * The settings to store: the stored settings, overwritten by those of the input. An empty secret in the input is
 * replaced by a random one. If a secret in the input is the mask, the stored secret stays.
 *
 * @param stored null for a new database: the mask is then refused
 */
export function settingsFrom(input: SettingsInput, stored: Settings | null, kind: Kind): Settings {
  const entries = Object.entries(input).flatMap(([name, value]) => {
    if (!kind.secrets.includes(name)) return [[name, value]]
    if (value === '') return [[name, randomBytes(24).toString('base64url')]]
    if (value !== mask) return [[name, value]]
    if (stored === null) {
      refuseField(
        name,
        'This is the mask of a stored secret, but no secret is stored. Send a password, or "" for a random one',
      )
    }
    return []
  })
  const merged: SettingsInput = { ...stored, ...Object.fromEntries(entries) }
  return Object.fromEntries(Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== null))
}

/** Refuses to change a setting that the data on the volume of the database keeps. */
export async function checkLasting(db: Reader, vault: Vault, row: Row, kind: Kind): Promise<void> {
  const volume = kind.lasting === undefined ? null : await volumes.find(db, row.volumeId)
  if (volume === null) return
  const wanted = openSettings(vault, 'database', row)
  for (const [name, value] of Object.entries(lastingIn(kind, settingsOfVolume(vault, volume)))) {
    if (wanted[name] === value) continue
    refuseField(name, `must stay ${value}. ${kind.lasting!.remedy}`, 'PRECONDITION_FAILED')
  }
}

/** The fields of the input that are settings of this kind. */
export function settingsIn(input: object, kind: Kind): SettingsInput {
  const names = Object.keys(kind.settings.shape)
  const isSetting = (entry: [string, unknown]): entry is [string, string | null] =>
    names.includes(entry[0]) && (typeof entry[1] === 'string' || entry[1] === null)
  return Object.fromEntries(Object.entries(input).filter(isSetting))
}

/** The columns that store the input field of the same name as it is. Only `env` must be sealed before it is stored. */
const plainColumns = ['name', 'dockerImage', 'projectId', ...columnNames] as const

type PartialInput = Partial<UpdateInput>

/** The values of `plainColumns` that the input contains. The caller must seal `env`. */
export function plainFrom(input: PartialInput): Partial<DatabaseTable> {
  return Object.fromEntries(plainColumns.map((name) => [name, input[name]]).filter(([, value]) => value !== undefined))
}

/** Applies the input to the row. Absent fields keep their stored value. Does not read the store. */
export function changedRow(vault: Vault, row: Row, input: PartialInput, kind: Kind): Row {
  const changed: Row = { ...row, ...plainFrom(input), appName: appNameFrom(row, input.appName) }
  changed.env = envFrom(vault, row, input.env)
  const stored = openSettings(vault, 'database', row)
  const settings = settingsFrom(settingsIn(input, kind), stored, kind)
  Object.assign(changed, sealSettings(vault, 'database', row.id, settings, kind.secrets))
  return { ...changed, pendingChanges: hasPendingChanges(vault, changed) ? 1 : 0 }
}

/**
 * The column for `env`. Unchanged text keeps the stored value, because sealing it again would produce another value.
 */
function envFrom(vault: Vault, row: Row, input: string | null | undefined): string | null {
  return input === undefined || input === openEnv(vault, row) ? row.env : sealEnv(vault, row.id, input)
}

/** Whether the record differs from the deployed target. False if nothing was deployed yet. */
export function hasPendingChanges(vault: Vault, row: Row): boolean {
  const target = openTarget(vault, 'target', row)
  return target !== null && !sameTarget(target, targetOf(vault, row, 0))
}

/** The appName to store. Refuses a change after the first deploy. */
function appNameFrom(row: Row, appName: string | undefined): string {
  if (appName === undefined || appName === '' || appName === row.appName) return row.appName
  if (row.target === null) return appName
  refuse('PRECONDITION_FAILED', 'appName cannot change after the first deploy, because clients use it as host name', {
    issues: [{ path: 'appName', message: `must stay ${row.appName}` }],
  })
}

/** Stores every column that an update can change. */
export async function writeRow({ tx }: { tx: Writer }, row: Row): Promise<Row> {
  const change = pick(row, [...plainColumns, 'appName', 'settings', 'secrets', 'pendingChanges', ...placementNames])
  await tx.updateTable('database').set(change).where('id', '=', row.id).execute()
  return row
}
