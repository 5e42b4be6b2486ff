/** What the form for a new database sends. Pure. */
import type { Kind } from '../../data/kinds.ts'
import { suggestedImages } from '../../data/suggested-images.ts'
import { shellLine } from '../../../shared/shell-word.ts'

/** Texts as the person typed them; empty: Berth decides, or there is none. */
export interface NewDatabaseValues {
  kind: Kind
  /** The id of a project; empty: a new one with the name `projectName`. */
  projectId: string
  projectName: string
  name: string
  /** Empty: the suggestion. */
  appName: string
  dockerImage: string
  registryId: string
  databaseName: string
  databaseUser: string
  databasePassword: string
  databaseRootPassword: string
  /** Empty: no replica set. */
  replicaSet: string
  externalPort: string
  node: string
  nodeLabel: string
  memoryReservation: string
  memoryLimit: string
  cpuReservation: string
  cpuLimit: string
  startTimeout: string
  command: string
  env: string
  description: string
}

type Setting = 'databaseName' | 'databaseUser' | 'databasePassword' | 'databaseRootPassword' | 'replicaSet'

/** The fields that only some kinds have. */
export const settingsOfKind: Record<Kind, readonly Setting[]> = {
  postgres: ['databaseName', 'databaseUser', 'databasePassword'],
  mysql: ['databaseName', 'databaseUser', 'databasePassword', 'databaseRootPassword'],
  mariadb: ['databaseName', 'databaseUser', 'databasePassword', 'databaseRootPassword'],
  mongo: ['databaseUser', 'databasePassword', 'replicaSet'],
  redis: ['databasePassword'],
}

const maxAppName = 63

/** "My shop" and "orders" are "my-shop-orders". */
export function suggestedAppName(projectName: string, name: string): string {
  const slug = `${projectName}-${name}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return slug.slice(0, maxAppName).replaceAll(/^-+|-+$/g, '')
}

/** A name that servers take without quotes: "My orders" is "my_orders". */
export const suggestedDatabaseName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_\d]+|_+$/g, '')
    .slice(0, 32)

const numbers = [
  'externalPort',
  'memoryReservation',
  'memoryLimit',
  'cpuReservation',
  'cpuLimit',
  'startTimeout',
] as const
const texts = ['registryId', 'node', 'nodeLabel', 'command', 'env', 'description'] as const

/** A text that is no number is sent as it is: Berth says at the field what is wrong. */
const numberOf = (text: string): number | string => (Number.isNaN(Number(text)) ? text : Number(text))

/** The input of `<kind>.create`. Fields that the person left empty are left out. */
export function createInput(values: NewDatabaseValues, projectId: string, projectName: string) {
  const { kind, name, appName, dockerImage } = values
  const settings = settingsOfKind[kind]
    .map((setting) => [setting, settingOf(values, setting)] as const)
    .filter(([setting, value]) => setting !== 'replicaSet' || value !== '')
  const further = [
    ...numbers.map((field) => [field, values[field] === '' ? '' : numberOf(values[field])] as const),
    ...texts.map((field) => [field, values[field]] as const),
  ].filter(([, value]) => value !== '')
  return {
    name,
    appName: appName === '' ? suggestedAppName(projectName, name) : appName,
    projectId,
    dockerImage: dockerImage === '' ? suggestedImages[kind][0]! : dockerImage,
    ...(Object.fromEntries(settings) as Record<string, string>),
    ...(Object.fromEntries(further) as Record<string, string | number>),
  }
}

function settingOf(values: NewDatabaseValues, setting: Setting): string {
  if (values[setting] !== '' || setting.endsWith('assword') || setting === 'replicaSet') return values[setting]
  return suggestedDatabaseName(values.name)
}

/** The same as a command, which creates and deploys; null: the command has no option for a field. */
export function createCommand(values: NewDatabaseValues, projectName: string): string | null {
  const { kind, name, dockerImage, externalPort, memoryLimit, replicaSet } = values
  const others = [
    'registryId',
    'nodeLabel',
    'memoryReservation',
    'cpuReservation',
    'cpuLimit',
    'startTimeout',
    'command',
    'env',
  ] as const
  const own = ['appName', 'databaseName', 'databaseUser', 'databasePassword', 'databaseRootPassword'] as const
  if ([...others, ...own, 'node' as const, 'description' as const].some((field) => values[field] !== '')) return null
  const options = [
    ...(dockerImage === '' ? [] : ['--image', dockerImage]),
    ...(externalPort === '' ? [] : ['--port', externalPort]),
    ...(memoryLimit === '' ? [] : ['--memory', memoryLimit]),
    ...(replicaSet === '' || kind !== 'mongo' ? [] : ['--replica-set', replicaSet]),
  ]
  return shellLine`berth create${[kind]} ${name} --project ${projectName}${options}`
}
