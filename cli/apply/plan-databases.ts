/** The steps for databases: create or change the record, then deploy or stop. Pure. */
import { appNameOf } from '../names.ts'
import type { DatabaseSpec } from './format.ts'
import { ambiguous, type Findings, joined, oneOf, type PlanInput } from './findings.ts'
import { generate, type Resolve } from './references.ts'
import { type Database, type DatabaseRecord, mask } from './state.ts'
import { type Change, changeOf, secretChangeOf, type Step, stepOf } from './step.ts'
import { envText } from '../../shared/env-text.ts'
import { sizeText, variablesOf } from '../units.ts'

export function planDatabases(input: PlanInput): Findings {
  const { file, state } = input
  return joined(
    Object.entries(file.projects).flatMap(([project, { databases }]) => {
      const own = state.databases.filter(({ summary }) => summary.projectName === project)
      const others = own.filter(({ summary }) => !Object.hasOwn(databases, summary.name))
      const findings = Object.entries(databases).map(([name, spec]) => {
        const present = own.filter(({ summary }) => summary.name === name)
        return planDatabase({ project, name, spec }, present, input.resolve)
      })
      return [...findings, { notInFile: others.map(({ summary }) => `database ${project}/${summary.name}`) }]
    }),
  )
}

interface Wanted {
  project: string
  name: string
  spec: DatabaseSpec
}

function planDatabase(wanted: Wanted, present: readonly Database[], resolve: Resolve): Partial<Findings> {
  const subject = `database ${wanted.project}/${wanted.name}`
  const one = oneOf(present)
  if (one === null) return ambiguous(subject, present.length)
  if (one === undefined) return { steps: creationOf(wanted, resolve) }
  const problems = problemsOf(wanted.spec, one).map((problem) => `${subject}: ${problem}`)
  return problems.length > 0 ? { problems } : { steps: changeStepsOf(wanted, one, resolve) }
}

const idFieldOf = (kind: string) => `${kind}Id`

/** Names inside the server have no other characters by default. */
const defaultName = (name: string) => name.replace(/[^A-Za-z0-9_]/g, '_')

/** The name that a dump of the database is about if the file gives none. */
export const serverDatabaseName = (spec: DatabaseSpec, name: string): string =>
  'database' in spec ? (spec.database ?? defaultName(name)) : defaultName(name)

export const appNameFor = ({ project, name, spec }: Wanted): string => spec.appName ?? appNameOf(project, name)

/** Berth makes a random password in place of an empty one. */
const newPassword = (text: string, resolve: Resolve) => (text === generate ? '' : resolve(text))

function creationOf(wanted: Wanted, resolve: Resolve): Step[] {
  const { project, name, spec } = wanted
  const path = `${project}/${name}`
  const subject = `database ${path}`
  const credentials = {
    ...('user' in spec ? { databaseUser: spec.user ?? defaultName(name) } : {}),
    ...('database' in spec ? { databaseName: serverDatabaseName(spec, name) } : {}),
    databasePassword: newPassword(spec.password, resolve),
    ...('rootPassword' in spec ? { databaseRootPassword: newPassword(spec.rootPassword, resolve) } : {}),
  }
  const env = envOf(spec, resolve)
  const create = stepOf({
    action: 'create',
    subject,
    changes: [
      ...changeOf('kind', null, spec.kind),
      ...plainFields(spec, null).flatMap(({ change }) => change),
      ...envChanges({}, env),
    ],
    operation: `${spec.kind}.create`,
    input: { name, appName: appNameFor(wanted), env: envText(env), ...credentials, ...allPlainInput(spec) },
    references: { projectId: `project ${project}` },
    idField: idFieldOf(spec.kind),
    secretFields: ['databasePassword', 'databaseRootPassword', 'env'],
  })
  const deploy = spec.state === 'running' ? [workStep('deploy', spec.kind, path, false)] : []
  return [create, ...deploy]
}

const workStep = (action: 'deploy' | 'stop', kind: string, path: string, isRestart: boolean): Step =>
  stepOf({
    action,
    subject: `database ${path}`,
    isRestart,
    operation: `${kind}.${action}`,
    references: { [idFieldOf(kind)]: `database ${path}` },
    idField: idFieldOf(kind),
    waitsFor: path,
  })

interface Field {
  api: string
  value: string | number | null
  change: Change[]
}

/** The fields that have no default but "none", compared with the record; null for a new database. */
function plainFields(spec: DatabaseSpec, record: DatabaseRecord | null): Field[] {
  const field = (name: string, api: keyof DatabaseRecord, value: string | number | null): Field => {
    const show = (each: unknown) => (/memory/i.test(name) && typeof each === 'number' ? sizeText(each) : each) as string
    return { api, value, change: changeOf(name, record === null ? null : show(record[api]), show(value)) }
  }
  return [
    field('image', 'dockerImage', spec.image),
    field('description', 'description', spec.description),
    field('port', 'externalPort', spec.port),
    field('memory', 'memoryLimit', spec.memory),
    field('memoryReservation', 'memoryReservation', spec.memoryReservation),
    field('cpu', 'cpuLimit', spec.cpu),
    field('cpuReservation', 'cpuReservation', spec.cpuReservation),
    field('startTimeout', 'startTimeout', spec.startTimeout),
    field('command', 'command', spec.command),
    ...keptFields(spec).map(([name, api, value]) => field(name, api, value)),
  ]
}

/** Fields that keep their value if they are left out of the file. */
function keptFields(spec: DatabaseSpec) {
  const all: [name: string, api: keyof DatabaseRecord, value: string | null][] = [
    ['appName', 'appName', spec.appName],
    ['node', 'node', spec.node],
    ['nodeLabel', 'nodeLabel', spec.nodeLabel],
    ['user', 'databaseUser', 'user' in spec ? spec.user : null],
    ['replicaSet', 'replicaSet', 'replicaSet' in spec ? spec.replicaSet : null],
    ['database', 'databaseName', 'database' in spec ? spec.database : null],
  ]
  return all.filter(([, , value]) => value !== null)
}

const allPlainInput = (spec: DatabaseSpec) =>
  Object.fromEntries(plainFields(spec, null).map(({ api, value }) => [api, value]))

const envOf = ({ env }: DatabaseSpec, resolve: Resolve) =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, resolve(value)]))

/** What the API would refuse in any case. */
function problemsOf(spec: DatabaseSpec, { summary, record }: Database): string[] {
  if (spec.kind !== summary.databaseType) {
    return [`is ${summary.databaseType}, and the file says ${spec.kind}. The kind of a database cannot change`]
  }
  if (record === null) return []
  const isDeployed = record.volume !== null || record.lastDeployedAt !== null
  const fixed: (keyof DatabaseRecord)[] = isDeployed ? ['appName', 'node', 'nodeLabel'] : []
  return keptFields(spec)
    .filter(([, api, value]) => fixed.includes(api) && record[api] !== value)
    .map(([name, api, value]) => {
      const advice = name === 'appName' ? '' : `. Move the database: berth move ${summary.projectName}/${summary.name}`
      return `${name} is ${record[api] ?? 'not set'} and cannot become ${value} after the first deploy${advice}`
    })
}

function changeStepsOf({ project, name, spec }: Wanted, { summary, record }: Database, resolve: Resolve): Step[] {
  if (record === null) return []
  const path = `${project}/${name}`
  const fields = plainFields(spec, record).filter(({ change }) => change.length > 0)
  const secrets = secretFieldsOf(spec, record, resolve)
  const changed = [...fields, ...secrets]
  const deployed = changed.filter(({ api }) => api !== 'description')
  const isUp = record.applicationStatus === 'done' && !record.pendingChanges
  const isPortOnly = deployed.length === 1 && deployed[0]!.api === 'externalPort'
  const shouldRun = spec.state === 'running'
  const changes = changed.flatMap(({ change }) => change)
  const common = { action: 'change' as const, subject: `database ${path}`, idField: idFieldOf(spec.kind) }
  const input = Object.fromEntries(changed.map(({ api, value }) => [api, value]))
  const isOpened = isPortOnly && shouldRun && isUp
  const own = isOpened ? omit(input, 'externalPort') : input
  const id = { [idFieldOf(spec.kind)]: summary.databaseId }
  const [portChanges, ownChanges] = [changes.filter(isPort), changes.filter((each) => !(isOpened && isPort(each)))]
  const steps: Step[] = []
  if (Object.keys(own).length > 0) {
    const secretFields = secrets.map(({ api }) => api)
    const operation = `${spec.kind}.update`
    steps.push(stepOf({ ...common, changes: ownChanges, operation, input: { ...own, ...id }, secretFields }))
  }
  if (isOpened) {
    const operation = `${spec.kind}.saveExternalPort`
    const portInput = { ...id, externalPort: spec.port }
    steps.push(stepOf({ ...common, changes: portChanges, operation, input: portInput, waitsFor: path }))
  }
  const isStale = (deployed.length > 0 && !isOpened) || record.pendingChanges
  const isReplaced = record.pendingChanges || deployed.some(({ api }) => !keepingContainer.has(api))
  if (shouldRun && (isStale || record.applicationStatus !== 'done')) {
    steps.push(workStep('deploy', spec.kind, path, isStale && isReplaced && record.applicationStatus !== 'idle'))
  }
  if (!shouldRun && record.applicationStatus !== 'idle') steps.push(workStep('stop', spec.kind, path, false))
  return steps
}

/** Fields that a deploy changes in the running server, or beside it. */
const keepingContainer = new Set(['databasePassword', 'databaseRootPassword', 'externalPort'])

const isPort = ({ field }: Change) => field === 'port'

const omit = (input: Record<string, unknown>, name: string) =>
  Object.fromEntries(Object.entries(input).filter(([each]) => each !== name))

/** Passwords and environment variables. `generate` keeps the present password. */
function secretFieldsOf(spec: DatabaseSpec, record: DatabaseRecord, resolve: Resolve): Field[] {
  const password = (field: string, api: 'databasePassword' | 'databaseRootPassword', text: string): Field => {
    const [present, value] = [record[api], resolve(text)]
    const isChanged = text !== generate && present !== mask && present !== value
    return { api, value, change: secretChangeOf(field, isChanged) }
  }
  const env = envOf(spec, resolve)
  return [
    password('password', 'databasePassword', spec.password),
    ...('rootPassword' in spec ? [password('rootPassword', 'databaseRootPassword', spec.rootPassword)] : []),
    { api: 'env', value: envText(env), change: envChanges(variablesOf(record.env), env) },
  ].filter(({ change }) => change.length > 0)
}

function envChanges(before: Record<string, string>, after: Record<string, string>): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => secretChangeOf(`env.${name}`, before[name] !== after[name]))
}
