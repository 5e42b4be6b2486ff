/** Computes and validates changes of a database's record. Each error names the invalid field. */
import { randomBytes } from 'node:crypto'
import type { CommandContext } from '../../api/contract.ts'
import { columnNames, type ListName, listNames, pick, placementNames } from '../columns.ts'
import { refuse, refuseField } from '../../errors.ts'
import type { Kind } from '../../kinds/kind.ts'
import { type Json, toJson } from '../../lib/json.ts'
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
  targetOf,
} from '../targets.ts'
import type { Vault } from '../../store/vault.ts'
import type { UpdateInput } from './fields.ts'
import type { Row } from './records.ts'
import { databasesNamed, isTlsNameOfAnother } from './tls-names.ts'
import { portOwnerOf } from '../../ports/port-owners.ts'
import { isBerthServiceName } from '../../gateways/own-names.ts'
import { checkSources, sourcesColumn } from '../../gateways/sources/fields.ts'

/** What the check of a port needs. */
export type PortContext = Pick<CommandContext, 'tx' | 'config' | 'actor'>

const projectById = prepared((db, id: string) => db.selectFrom('project').select('id').where('id', '=', id))

export async function checkProject(db: Reader, projectId: string): Promise<void> {
  const [project] = await projectById(db, projectId)
  if (project === undefined) {
    refuseField('projectId', 'No project with this id. project.all lists every project', 'NOT_FOUND')
  }
}

const foreignServicesNamed = prepared((db, name: string) =>
  db
    .selectFrom('application')
    .select('name')
    .where((eb) => eb(eb.fn('lower', ['name']), '=', name))
    .where('isOwn', '=', 0),
)

/** What the check of a name needs. */
type NameContext = Pick<CommandContext, 'tx' | 'config'>

/**
 * Whether another service on the swarm has this name, the name is reserved for Berth itself, or the certificate of
 * another database has it. Ignores case.
 *
 * @param ownId the id of the database that requests the name; its present name does not count as taken
 */
export async function isNameTaken(context: NameContext, appName: string, ownId = ''): Promise<boolean> {
  const { tx } = context
  const name = appName.toLowerCase()
  if (isBerthServiceName(name) || (await isTlsNameOfAnother(context, name, ownId))) return true
  const [own, foreign] = [await databasesNamed(tx, name, ownId), await foreignServicesNamed(tx, name)]
  return own.length > 0 || foreign.length > 0
}

export function refuseName(appName: string): never {
  const message = `Another service on the swarm, or a certificate, has the name ${appName}. Choose another appName`
  refuseField('appName', message, 'CONFLICT')
}

/**
 * Derives a service name of lower-case letters, digits and `-` from `name`, or uses the name of the kind if `name` has
 * no such characters. If the result is taken, adds a random suffix.
 */
export async function makeAppName(context: NameContext, name: string, kind: Kind): Promise<string> {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 50)
  const base = slug.replace(/-+$/, '') || kind.name
  if (!(await isNameTaken(context, base))) return base
  return `${base}-${randomBytes(4).toString('hex')}`
}

/** Refuses a port that is not free. @param context of the caller: the refusal names no owner out of its reach */
export async function checkPort(context: PortContext, row: Pick<Row, 'id'>, port: number | null): Promise<void> {
  if (port === null) return
  const { tx, config, actor } = context
  const owner = await portOwnerOf(tx, config, { port, protocol: 'tcp', databaseId: row.id, reach: actor.reach })
  if (owner !== null) refuseField('externalPort', `${port} is ${owner}. Choose another port`, 'CONFLICT')
}

/** Refuses a list that the gateway on the node of the volume cannot enforce. Before the first deploy there is no node. */
export async function checkAllowedSources(db: Reader, row: Row, sources: UpdateInput['allowedSources']): Promise<void> {
  if (row.volumeId === null) return
  const volume = await db
    .selectFrom('volume')
    .select(['nodeId', 'nodeName'])
    .where('id', '=', row.volumeId)
    .executeTakeFirst()
  if (volume !== undefined) await checkSources(db, sources, [{ id: volume.nodeId, name: volume.nodeName }])
}

export function checkReservations(row: Row): void {
  const isAbove = (reservation: number | null, limit: number | null) =>
    reservation !== null && limit !== null && reservation > limit
  if (isAbove(row.memoryReservation, row.memoryLimit)) refuseField('memoryReservation', 'must not be above memoryLimit')
  if (isAbove(row.cpuReservation, row.cpuLimit)) refuseField('cpuReservation', 'must not be above cpuLimit')
}

/**
 * The settings to store: the stored settings, overwritten by those of the input. An empty secret in the input is
 * replaced by a random one. If a secret in the input is the mask, the stored secret stays.
 *
 * @param stored null for a new database: the mask is then refused
 */
export function settingsFrom(input: Settings, stored: Settings | null, kind: Kind): Settings {
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
  return { ...stored, ...(Object.fromEntries(entries) as Settings) }
}

/** The fields of the input that are settings of this kind. */
export function settingsIn(input: object, kind: Kind): Settings {
  const names = Object.keys(kind.settings.shape)
  const isSetting = (entry: [string, unknown]): entry is [string, string] =>
    names.includes(entry[0]) && typeof entry[1] === 'string'
  return Object.fromEntries(Object.entries(input).filter(isSetting))
}

/** The columns that store the input field of the same name as it is. Only `env` must be sealed before it is stored. */
const plainColumns = ['name', 'dockerImage', 'projectId', ...columnNames] as const

type PartialInput = Partial<UpdateInput>

/** The values of `plainColumns` and of lists that the input contains. The caller must seal `env`. */
export function plainFrom(input: PartialInput): Partial<DatabaseTable> {
  const plain = plainColumns.map((name) => [name, input[name]] as const)
  const lists = listNames.map((name) => [name, input[name] ? listColumns[name](input[name]) : input[name]] as const)
  return Object.fromEntries([...plain, ...lists].filter(([, value]) => value !== undefined))
}

const listColumns: Record<ListName, (list: readonly string[]) => Json<readonly string[]>> = {
  tlsNames: (names) => toJson<readonly string[]>([...new Set(names)]),
  allowedSources: sourcesColumn,
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
  const names = [...plainColumns, ...listNames, ...placementNames] as const
  const change = pick(row, [...names, 'appName', 'settings', 'secrets', 'pendingChanges'])
  await tx.updateTable('database').set(change).where('id', '=', row.id).execute()
  return row
}
