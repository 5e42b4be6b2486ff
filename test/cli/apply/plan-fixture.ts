/** Records, files and the notation of plans, for tests of the planner of `berth apply`. */
import { parseApplyFile } from '../../../cli/apply/parse.ts'
import { planOf } from '../../../cli/apply/plan.ts'
import { resolverOf } from '../../../cli/apply/references.ts'
import type { Backup, Database, DatabaseRecord, State } from '../../../cli/apply/state.ts'
import { certificateData } from '../../fixtures/long-lived-certificate.ts'

const env = { PASSWORD: 'the-password', KEY: 'the-key', PEM: certificateData, PING: 'https://ping.example/x' }

export const nothing: State = {
  destinations: [],
  projects: [],
  databases: [],
  backups: [],
  applications: [],
  redirects: [],
  securities: [],
  ports: [],
  certificates: [],
}

export const shop = { projectId: 'p1', name: 'shop', description: null }

export function database(name: string, record: Partial<DatabaseRecord> = {}, type = 'redis'): Database {
  const summary = { databaseId: `id-${name}`, databaseType: type, name, appName: `shop-${name}`, projectName: 'shop' }
  const full: DatabaseRecord = {
    appName: `shop-${name}`,
    description: null,
    dockerImage: 'redis:8',
    command: null,
    env: null,
    memoryReservation: null,
    memoryLimit: null,
    cpuReservation: null,
    cpuLimit: null,
    externalPort: null,
    startTimeout: null,
    node: 'web-1',
    nodeLabel: null,
    volume: 'berth-1',
    lastDeployedAt: '2030-01-01T00:00:00Z',
    applicationStatus: 'done',
    pendingChanges: false,
    databasePassword: 'the-password',
    ...record,
  }
  return { summary: summary as Database['summary'], record: full }
}

export const orders = (record: Partial<DatabaseRecord> = {}) =>
  database('orders', { dockerImage: 'postgres:17', databaseName: 'orders', ...record }, 'postgres')
export const redis = (fields = '') => `projects: {shop: {databases: {cache: {kind: redis, image: redis:8${fields}}}}}`
export const withCache = (record: Partial<DatabaseRecord> = {}): Partial<State> => ({
  projects: [shop],
  databases: [database('cache', record)],
})

const destination = { destinationId: 'd1', name: 'offsite', endpoint: 'https://s3.example', bucket: 'b', region: '' }
const s3 = { kind: 's3' as const, hostKey: null }
export const stored = { ...destination, accessKey: 'A', secretAccessKey: '********' as const, createdAt: '', ...s3 }
export const offsite = (fields = '') =>
  `destinations: {offsite: {endpoint: https://s3.example, bucket: b, accessKey: A, secretKey: "\${env:KEY}"${fields}}}`
export const withBackup = (fields: string) =>
  `projects: {shop: {databases: {orders: {kind: postgres, image: postgres:17, backups: [{destination: offsite, ${fields}}]}}}}`
export const backup = {
  backupId: 'b1',
  postgresId: 'id-orders',
  mysqlId: null,
  mariadbId: null,
  mongoId: null,
  destinationId: 'd1',
  database: 'orders',
  prefix: 'shop-orders',
  schedule: '@daily',
  timezone: 'UTC',
  enabled: true,
  verifySchedule: null,
  keepLatest: null,
  keepDays: null,
  recipient: null,
  signalUrl: null,
} as unknown as Backup

export const rule = (id: string, fields: object) => ({
  applicationId: 'web',
  applied: true,
  reason: null,
  ...fields,
  id,
})
export const redirect = (regex: string) =>
  rule('', { redirectId: `r-${regex}`, regex, replacement: 'https://x', permanent: false }) as never
export const redirects = (...regexes: string[]) =>
  `applications: {web: {redirects: [${regexes.map((regex) => `{regex: ${regex}, replacement: https://x}`).join()}]}}`
export const web = { applicationId: 's1', name: 'web', alias: 'shop-web' } as State['applications'][number]

/** A step in one line: action and record, a `!` before a restart, then the changes. `*` stands for a secret. */
export function linesOf(text: string, state: Partial<State>, shouldResendSecrets = false): string[] {
  const file = parseApplyFile(`berth: 1\n${text}`, 'f')
  const plan = planOf({ file, state: { ...nothing, ...state }, resolve: resolverOf(env), shouldResendSecrets })
  const steps = plan.steps.map(({ action, subject, isRestart, changes }) => {
    const fields = changes.map(({ field, from, to, isSecret }) => `${field}: ${isSecret ? '*' : `${from} → ${to}`}`)
    return `${isRestart ? '! ' : ''}${action} ${subject}${fields.length > 0 ? ` (${fields.join(', ')})` : ''}`
  })
  return [...steps, ...plan.notInFile.map((each) => `beside: ${each}`), ...plan.problems.map((each) => `no: ${each}`)]
}

/** A file, the present state, and the lines that `linesOf` answers for them. */
export type PlanCase = [name: string, text: string, state: Partial<State>, lines: string[]]
