/** Writes the present state as a file of `berth apply`. Secrets become references to environment variables. Pure. */
import { Document } from 'yaml'
import { CommandError } from '../exit.ts'
import { formatVersion } from './format.ts'
import { escapeReferences, referenceTo } from './references.ts'
import { dumpedDatabase } from '../runs.ts'
import { applicationNameOf, type Backup, type Database, type DatabaseRecord, type State } from './state.ts'
import { portText, sizeText, variablesOf } from '../units.ts'
import { shellWord } from '../../shared/shell-word.ts'

export interface ExportOptions {
  /** The project to export, with the destinations of its backups; null for everything. */
  project: string | null
  /** Whether the file says on which nodes the databases are. */
  hasNodes: boolean
}

/**
 * Applied to an empty installation, the file makes the same configuration. Records are in the order of their names,
 * except redirects, whose order has a meaning.
 */
export function exportText(state: State, options: ExportOptions): string {
  const secrets = secretNames()
  const content = contentOf(state, options, secrets.reference)
  const document = new Document(content)
  document.commentBefore = headOf(secrets.described)
  return document.toString({ lineWidth: 0, blockQuote: 'literal' })
}

type Reference = (name: string, description: string) => string

/** Names of environment variables. Two secrets never share a name. */
function secretNames() {
  const described = new Map<string, string>()
  const reference: Reference = (text, description) => {
    const name = text
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^(?=\d)/, '_')
    const taken = (each: string) => described.has(each)
    let free = name
    for (let i = 2; taken(free); i++) free = `${name}_${i}`
    described.set(free, description)
    return referenceTo(free)
  }
  return { described, reference }
}

function headOf(described: ReadonlyMap<string, string>): string {
  const first = ' Made by berth export. Apply it with: berth apply -f FILE'
  if (described.size === 0) return first
  const width = Math.max(...[...described.keys()].map(({ length }) => length))
  const lines = [...described].map(([name, description]) => `   ${name.padEnd(width)}  ${description}`)
  return [first, ' It has no secrets. Set these environment variables before:', ...lines].join('\n')
}

/** Leaves out what has no value, and what has its default. */
const filled = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  )

/**
 * A mapping from names to records; null without records.
 * @throws CommandError if two records have the same name: a file cannot have both
 */
function named<T>(
  kind: string,
  records: readonly T[],
  nameOf: (record: T) => string,
  contentOfEach: (record: T) => unknown,
) {
  const sorted = byName(records, nameOf)
  const twice = sorted.find((each, i) => i > 0 && nameOf(each) === nameOf(sorted[i - 1]!))
  if (twice !== undefined) {
    throw new CommandError('failed', `Two records are called ${kind} ${nameOf(twice)}. Rename or remove one of them`)
  }
  return sorted.length === 0 ? null : Object.fromEntries(sorted.map((each) => [nameOf(each), contentOfEach(each)]))
}

const listOrNull = (list: unknown[]) => (list.length === 0 ? null : list)
const byName = <T>(items: readonly T[], nameOf: (item: T) => string): T[] =>
  items.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))

function contentOf(state: State, { project, hasNodes }: ExportOptions, reference: Reference): object {
  const projects = state.projects.filter(({ name }) => project === null || name === project)
  const databases = state.databases.filter(({ summary }) => project === null || summary.projectName === project)
  const dumped = databases.map(({ summary }) => summary.databaseId)
  const used = state.backups.filter((each) => dumped.includes(dumpedDatabase(each) ?? ''))
  const destinations = state.destinations.filter(
    ({ destinationId }) => project === null || used.some((each) => each.destinationId === destinationId),
  )
  const databasesIn = (name: string) =>
    named(
      `database ${name}`,
      databases.filter(({ summary }) => summary.projectName === name),
      ({ summary }) => summary.name,
      (each) => databaseOf(each, state, hasNodes, reference),
    )
  return filled({
    berth: formatVersion,
    destinations: destinationsOf(destinations, reference),
    projects: named(
      'project',
      projects,
      ({ name }) => name,
      ({ name, description }) => filled({ description, databases: databasesIn(name) }),
    ),
    ...(project === null
      ? { applications: applicationsOf(state, reference), certificates: certificatesOf(state, reference) }
      : {}),
  })
}

const destinationsOf = (destinations: State['destinations'], reference: Reference) =>
  named(
    'destination',
    destinations,
    ({ name }) => name,
    ({ name, kind, endpoint, bucket, region, accessKey, hostKey }) =>
      filled({
        ...(kind === 's3' ? {} : { kind, hostKey }),
        endpoint,
        bucket,
        region,
        accessKey: escapeReferences(accessKey),
        secretKey: reference(`${name} secret key`, `the secret key of the destination ${name}`),
      }),
  )

function databaseOf({ summary, record }: Database, state: State, hasNodes: boolean, reference: Reference): object {
  if (record === null) return {}
  const path = `${summary.projectName}/${summary.name}`
  const size = (mebibytes: number | null) => (mebibytes === null ? null : sizeText(mebibytes))
  const rootPassword =
    record.databaseRootPassword === undefined
      ? null
      : `the root password of ${path} (berth env ${shellWord(path)} --root-password)`
  return filled({
    kind: summary.databaseType,
    image: record.dockerImage,
    appName: record.appName,
    description: record.description,
    state: record.applicationStatus === 'idle' ? 'stopped' : null,
    port: record.externalPort,
    memory: size(record.memoryLimit),
    memoryReservation: size(record.memoryReservation),
    cpu: record.cpuLimit,
    cpuReservation: record.cpuReservation,
    startTimeout: record.startTimeout,
    node: hasNodes ? record.node : null,
    nodeLabel: record.nodeLabel,
    command: record.command,
    env: envOf(path, record, reference),
    user: record.databaseUser,
    database: record.databaseName,
    replicaSet: record.replicaSet,
    password: reference(`${path} password`, `the password of ${path} (berth env ${shellWord(path)} --password)`),
    rootPassword: rootPassword === null ? null : reference(`${path} root password`, rootPassword),
    backups: listOrNull(backupsOf(summary.databaseId, path, state, reference)),
  })
}

/** Variables that may have a secret, by their name or by a URL with a password. */
const isSecretVariable = (name: string, value: string) =>
  /pass|secret|token|key|credential|auth/i.test(name) || /:\/\/[^/\s]*:[^/\s]*@/.test(value)

const envOf = (path: string, { env }: DatabaseRecord, reference: Reference) =>
  named(
    `variable of ${path}:`,
    Object.entries(variablesOf(env)),
    ([name]) => name,
    ([name, value]) =>
      isSecretVariable(name, value) && value !== ''
        ? reference(`${path} env ${name}`, `the variable ${name} of ${path}`)
        : escapeReferences(value),
  )

function backupsOf(databaseId: string, path: string, state: State, reference: Reference): object[] {
  const nameOf = new Map(state.destinations.map(({ destinationId, name }) => [destinationId, name]))
  const placeOf = ({ destinationId, prefix }: Backup) => `${nameOf.get(destinationId)}/${prefix}`
  const own = state.backups.filter((each) => dumpedDatabase(each) === databaseId)
  return byName(own, placeOf).map((each) =>
    filled({
      destination: nameOf.get(each.destinationId),
      schedule: each.schedule,
      prefix: each.prefix,
      database: each.redisId === null ? each.database : null,
      timezone: each.timezone,
      enabled: each.enabled ? null : false,
      verifySchedule: each.verifySchedule,
      keepLatest: each.keepLatest,
      keepDays: each.keepDays,
      recipient: each.recipient,
      signalUrl:
        each.signalUrl === null ? null : reference(`${path} signal url`, `the signalUrl of a backup of ${path}`),
    }),
  )
}

function applicationsOf(state: State, reference: Reference): object | null {
  const nameOf = applicationNameOf(state.applications)
  const rules = [...state.redirects, ...state.securities, ...state.ports]
  const names = [...new Set(rules.map(({ applicationId }) => nameOf(applicationId)))]
  const rulesOf = (name: string) => {
    const isOwn = (rule: { applicationId: string }) => nameOf(rule.applicationId) === name
    const redirects = state.redirects
      .filter(isOwn)
      .map(({ regex, replacement, permanent }) => filled({ regex, replacement, permanent: permanent || null }))
    const users = named(
      `user of ${name}:`,
      state.securities.filter(isOwn),
      ({ username }) => username,
      ({ username }) => reference(`${name} ${username} password`, `the password of ${username} for ${name}`),
    )
    const ports = state.ports.filter(isOwn).map(portText).sort()
    return filled({ redirects: listOrNull(redirects), users, ports: listOrNull(ports) })
  }
  return named('application', names, (name) => name, rulesOf)
}

const certificatesOf = ({ certificates }: State, reference: Reference) =>
  named(
    'certificate',
    certificates,
    ({ name }) => name,
    ({ name, autoRenew }) =>
      filled({
        certificate: reference(`${name} certificate`, `the certificate ${name} with its issuers, in PEM form`),
        privateKey: reference(`${name} private key`, `the private key of the certificate ${name}, in PEM form`),
        autoRenew: autoRenew || null,
      }),
  )
