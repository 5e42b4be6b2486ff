/** The settings of a database as texts in a form: from a record, into an input, and what a change does. Pure. */
import type { DatabaseRecord, Kind } from '../../../data/kinds.ts'
import { shellLine } from '../../../../shared/shell-word.ts'

export const fieldNames = [
  'name',
  'description',
  'projectId',
  'appName',
  'dockerImage',
  'command',
  'memoryLimit',
  'memoryReservation',
  'cpuLimit',
  'cpuReservation',
  'startTimeout',
  'node',
  'nodeLabel',
  'databaseName',
  'databaseUser',
  'databasePassword',
  'databaseRootPassword',
  'replicaSet',
] as const
export type FieldName = (typeof fieldNames)[number]
/** A text for each field. A field that the kind does not have is empty. */
export type Values = Record<FieldName, string>

export const labels: Record<FieldName, string> = {
  name: 'Name',
  description: 'Description',
  projectId: 'Project',
  appName: 'Host name',
  dockerImage: 'Image',
  command: 'Command',
  memoryLimit: 'Memory limit',
  memoryReservation: 'Memory reservation',
  cpuLimit: 'Processor limit',
  cpuReservation: 'Processor reservation',
  startTimeout: 'Longest start',
  node: 'Node',
  nodeLabel: 'Node label',
  databaseName: 'Database',
  databaseUser: 'User',
  databasePassword: 'Password',
  databaseRootPassword: 'Password of root',
  replicaSet: 'Replica set',
}

/** Stands for the stored password. An update with it keeps the password. */
export const mask = '********'

const settings: Record<Kind, readonly FieldName[]> = {
  postgres: ['databaseName', 'databaseUser', 'databasePassword'],
  mysql: ['databaseName', 'databaseUser', 'databasePassword', 'databaseRootPassword'],
  mariadb: ['databaseName', 'databaseUser', 'databasePassword', 'databaseRootPassword'],
  mongo: ['databaseUser', 'databasePassword', 'replicaSet'],
  redis: ['databasePassword'],
}

const ofSomeKinds = new Set(Object.values(settings).flat())
export const hasField = (kind: Kind, name: FieldName): boolean =>
  !ofSomeKinds.has(name) || settings[kind].includes(name)

export const isPassword = (name: FieldName): boolean => name === 'databasePassword' || name === 'databaseRootPassword'
const numbers: readonly FieldName[] = [
  ...(['memoryLimit', 'memoryReservation', 'cpuLimit', 'cpuReservation', 'startTimeout'] as const),
]
/** An empty text of these fields is null in the record. */
const optional: readonly FieldName[] = ['description', 'command', 'node', 'nodeLabel', 'replicaSet']

export function valuesOf(kind: Kind, record: DatabaseRecord): Values {
  const entries = fieldNames.map((name) => {
    if (!hasField(kind, name)) return [name, '']
    const value = record[name]
    return [name, isPassword(name) ? mask : value === null || value === undefined ? '' : String(value)]
  })
  return Object.fromEntries(entries) as Values
}

/** The input of an update with the changed fields. A text that is no number is sent as it is, so that Berth refuses it. */
export function updateOf(changed: Partial<Values>): Record<string, string | number | null> {
  const entries = (Object.entries(changed) as [FieldName, string][]).map(([name, text]) => {
    if (numbers.includes(name)) return [name, numberOf(text)]
    return [name, optional.includes(name) && text.trim() === '' ? null : text]
  })
  return Object.fromEntries(entries)
}

function numberOf(text: string): number | string | null {
  const trimmed = text.trim()
  if (trimmed === '') return null
  return Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed)
}

/**
 * When a change takes effect:
 * - `now`: at once, without a deploy
 * - `first`: with the first deploy, which has not been made yet
 * - `deploy`: with a deploy, which changes the running server
 * - `restart`: with a deploy, which replaces the container of the server
 */
export type Effect = 'now' | 'first' | 'deploy' | 'restart'

export function effectOf(name: FieldName, isDeployed: boolean): Effect {
  if (name === 'name' || name === 'description' || name === 'projectId' || name === 'startTimeout') return 'now'
  if (!isDeployed) return 'first'
  return name === 'databasePassword' || name === 'databaseRootPassword' ? 'deploy' : 'restart'
}

const details: Partial<Record<FieldName, string>> = {
  databaseName: 'The deploy creates a database of the new name if there is none. The old one stays.',
  databaseUser: 'The deploy creates the new user with equal rights. The old one can no longer log in.',
  databasePassword:
    'It sets the password in the running server and checks that the old one no longer works. Open connections stay ' +
    'open. Clients need the new password for their next connection.',
  databaseRootPassword:
    'It sets the password in the running server and checks that the old one no longer works. Open connections stay open.',
  replicaSet: 'The set then stays: its name can no longer change. Clients need the new URL.',
  dockerImage: 'The deploy refuses an image that cannot open the data, before anything changes.',
}

/** What a change does, as a sentence. */
export function effectText(name: FieldName, isDeployed: boolean): string {
  const effect = effectOf(name, isDeployed)
  if (effect === 'now') return 'Takes effect at once, without a restart.'
  if (effect === 'first') return 'Takes effect with the first deploy.'
  if (effect === 'deploy') return `Needs a deploy, which does not restart the server. ${details[name]}`
  return `Needs a deploy, which restarts the server.${details[name] === undefined ? '' : ` ${details[name]}`}`
}

/** With less memory, in MiB, the server of a kind hardly starts. */
const leastMemory = (kind: Kind) => (kind === 'redis' ? 64 : 256)

/** What speaks against a value that Berth accepts; null: nothing. */
export function warningOf(kind: Kind, name: FieldName, text: string): string | null {
  const least = leastMemory(kind)
  if (name !== 'memoryLimit' || text.trim() === '' || !(Number(text) < least)) return null
  return (
    `The server needs about ${least} MiB to start. With less, the system may kill the server when memory runs ` +
    'out, and Berth goes back to the last configuration that worked.'
  )
}

/** A value of a field as a person reads it. */
export function shown(name: FieldName, text: string, projects: ReadonlyMap<string, string>): string {
  if (isPassword(name))
    return text === mask ? 'the present password' : text === '' ? 'a new random one' : 'the typed one'
  if (text === '') return name === 'memoryLimit' || name === 'cpuLimit' || name === 'startTimeout' ? 'no limit' : 'none'
  if (name === 'projectId') return projects.get(text) ?? text
  if (name === 'memoryLimit' || name === 'memoryReservation') return `${text} MiB`
  if (name === 'startTimeout') return `${text} minutes`
  return name === 'cpuLimit' || name === 'cpuReservation' ? `${text} cores` : text
}

/** The options of `berth set` for a change; null: it has no option for one of the fields. */
export function setCommand(path: string, changed: Partial<Values>): string | null {
  const options: Partial<Record<FieldName, (text: string) => string>> = {
    dockerImage: (text) => `--image=${text}`,
    memoryLimit: (text) => `--memory=${text === '' ? 'none' : text}`,
    startTimeout: (text) => `--start-timeout=${text === '' ? 'none' : text}`,
    command: (text) => `--command=${text}`,
    replicaSet: (text) => `--replica-set=${text === '' ? 'none' : text}`,
    databasePassword: () => '--ask-password',
    databaseRootPassword: () => '--ask-root-password',
  }
  const parts = (Object.entries(changed) as [FieldName, string][]).map(([name, text]) =>
    isPassword(name) && text === '' ? null : (options[name]?.(text) ?? null),
  )
  const words = parts.filter((word) => word !== null)
  return words.length === 0 || words.length < parts.length ? null : shellLine`berth set ${path}${words} --no-deploy`
}
