/** Compares the servers of databases with their records: their containers, and a login to each with status `done`. */
import assert from 'node:assert/strict'
import { kindNamed } from '../../src/kinds/index.ts'
import { tlsFolder, type TlsMode } from '../../src/kinds/kind.ts'
import { clients } from '../e2e/clients.ts'
import { containersOf, docker, refusalOf } from '../e2e/swarm.ts'
import type { Client, Fields } from './client.ts'
import type { Known } from './records.ts'

export interface Database extends Fields {
  name: string
  description: string | null
  env: string | null
  externalPort: number | null
  projectId: string
  tls: TlsMode
  /** Not returned by the API. Compared with the containers. */
  goal: 'none' | 'up' | 'stopped'
  password: string | null
  /** The values of the last deployment. Compared with the container. */
  lastDeployed: { env: string | null; password: string | null; tls: TlsMode }
}

type One = Fields & {
  applicationStatus: string
  statusReason: string | null
  lastDeployedAt: string | null
  externalPort: number | null
  connection: { externalUrl: string | null }
}
export interface Details {
  kind: string
  appName: string
  entries: string[]
}
export type KnownDatabase = Known<Database> & { id: string }

/** The code with which PostgreSQL refuses a connection by its `pg_hba.conf`. */
const refusedByRules = '28000'

/** Returns whether the comparison included a login. */
export async function compareServer(client: Client, record: KnownDatabase, detail: Details): Promise<boolean> {
  const one = (await client.read<One>(`${detail.kind}.one`, { [kindNamed(detail.kind).idField]: record.id }))!
  const { applicationStatus: status, statusReason } = one
  // If a stop or a reload interrupts the first start, the images cannot continue it. Berth reports this.
  const isCutOff = /first start was interrupted|ended with exit code/.test(statusReason ?? '')
  if (status === 'error' && one.lastDeployedAt === null && isCutOff) return false
  assert.ok(status === 'done' || status === 'idle', `${record.name} is ${status}: ${statusReason}`)
  const containers = await containersOf(record.name)
  assert.equal(containers.length, status === 'done' ? 1 : 0, `containers of ${record.name}, which is ${status}`)
  const goals = status === 'done' ? ['up'] : ['none', 'stopped']
  narrow(record, 'its goal', ({ goal }) => goals.includes(goal))
  if (status === 'idle') return false
  const environment = (await docker('inspect', '--format', '{{json .Config.Env}}', containers[0]!)).join('')
  const env = (JSON.parse(environment) as string[]).find((line) => line.startsWith('CRASH=')) ?? null
  narrow(record, `its environment ${env}`, ({ lastDeployed }) => lastDeployed.env === env)
  const paths = (await docker('inspect', '--format', '{{range .Mounts}}{{.Destination}} {{end}}', containers[0]!)).join(
    '',
  )
  const hasTls = paths.split(' ').includes(tlsFolder)
  narrow(record, `its TLS ${hasTls}`, ({ lastDeployed }) => (lastDeployed.tls !== 'off') === hasTls)
  const { externalUrl } = one.connection
  if (externalUrl === null) assert.equal(one.externalPort, null)
  else await logIn(record, detail, externalUrl)
  return externalUrl !== null
}

/** Logs in with the URL of the API, reads the earlier entries, and writes another one. */
async function logIn(record: KnownDatabase, detail: Details, url: string): Promise<void> {
  const password = decodeURIComponent(new URL(url).password)
  narrow(
    record,
    'its password',
    ({ lastDeployed }) => lastDeployed.password === null || lastDeployed.password === password,
  )
  const isRequired = detail.kind === 'postgres' && (await refusalOf(url)) === refusedByRules
  narrow(record, `its TLS ${isRequired}`, ({ lastDeployed }) => (lastDeployed.tls === 'require') === isRequired)
  const session = await clients[detail.kind]!.connect(isRequired ? `${url}?sslmode=no-verify` : url)
  try {
    assert.deepEqual(await session.read(), detail.entries, `the entries of ${record.name}`)
    const text = `note ${detail.entries.length + 1}`
    await session.write(text)
    detail.entries.push(text)
  } finally {
    await session.close()
  }
}

/** Removes the possible states that do not fit. Fails if none is left. */
function narrow(record: Known<Database>, what: string, fits: (state: Database) => boolean): void {
  const recordRemoval = record.possible.filter((state) => state !== null && fits(state))
  assert.ok(
    recordRemoval.length > 0,
    `${record.name}: ${what} is none that was asked for: ${JSON.stringify(record.possible)}`,
  )
  record.possible = recordRemoval
}
