/**
 * Creates a store with a record of every kind through API calls, and prints the store as SQL:
 *
 *   node test/store/generate.ts NAME > test/store/NAME.sql
 *
 * To create a store of an earlier version, run this file in a checkout of the last commit of that version.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '../../src/operations.ts'
import { startBerth } from '../fixtures/harness.ts'

type Fields = Record<string, unknown>

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'berth-generate-'))
const berth = await startBerth({ folder, env: { BERTH_MASTER_KEY: 'ab'.repeat(32) } })
const installation = 'an-installation-token-for-the-tests-only'
let token = installation

/** Returns {} for an operation that the version does not have. */
async function call(name: string, input: Fields = {}, headers: Record<string, string> = {}): Promise<Fields> {
  if (!operations.some((operation) => operation.name === name)) return {}
  const { status, body } = await berth.call(name, input, token, headers)
  assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
  return body
}

const wait = { prefer: 'wait=60' }
const password = 'the-password-of-then'

const admin = await call('auth.createAdmin', { email: 'Ada@example.org', password: 'correct horse' })
token = admin.accessToken as string
const { projectId } = await call('project.create', { name: 'shop', description: 'of then' })
const common = { name: 'it', projectId, databasePassword: password }
const own = { databaseName: 'shop', databaseUser: 'shop' }
const orders = await call('postgres.create', { ...common, ...own, appName: 'orders' })
const { postgresId } = orders
await call('postgres.update', { ...orders, memoryLimit: 512, cpuLimit: 0.5, command: '-c max_connections=50' })
await call('postgres.saveExternalPort', { postgresId, externalPort: 15432 })
await call('postgres.saveEnvironment', { postgresId, env: 'KEY=of then' })
await call('postgres.deploy', { postgresId }, wait)
await call('postgres.create', { ...common, ...own, appName: 'never-deployed' })
const kept = await call('postgres.create', { ...common, ...own, appName: 'kept' })
await call('postgres.deploy', { postgresId: kept.postgresId }, wait)
await call('postgres.remove', { postgresId: kept.postgresId }, wait)
const rooted = { ...common, ...own, databaseRootPassword: 'the-root-password-of-then' }
const others: [kind: string, fields: Fields][] = [
  ['mysql', rooted],
  ['mariadb', rooted],
  ['mongo', { ...common, databaseUser: 'shop' }],
  ['redis', common],
]
for (const [kind, fields] of others) {
  const created = await call(`${kind}.create`, { ...fields, appName: `the-${kind}` })
  if (created[`${kind}Id`] !== undefined) await call(`${kind}.deploy`, { [`${kind}Id`]: created[`${kind}Id`] }, wait)
}
await call('user.invite', { email: 'eve@example.org' })
const { destinationId } = await call('destination.create', {
  name: 'storage',
  bucket: 'backups',
  region: '',
  endpoint: 'http://127.0.0.1:9',
  accessKey: 'key',
  secretAccessKey: password,
})
if (destinationId !== undefined) {
  const backup = { databaseType: 'postgres', postgresId, database: 'shop', destinationId }
  await call('backup.create', { ...backup, prefix: 'nightly', schedule: '0 3 1 1 *', keepLatest: 3 })
}
const applicationId = 'web'
await call('redirects.create', { applicationId, regex: '/old/(.*)', replacement: '/new/$1', permanent: true })
await call('security.create', { applicationId, username: 'ann', password })
await call('auth.generateToken')

await berth.close()
const commit = process.argv[3] ?? execFileSync('git', ['-C', root, 'rev-parse', '--short', 'HEAD']).toString().trim()
process.stdout.write(
  `-- A store of version ${process.argv[2]}, created by test/store/generate.ts with Berth of commit ${commit},\n` +
    '-- and printed by `sqlite3 berth.db .dump`. The master key is the byte ab, 32 times.\n',
)
process.stdout.write(execFileSync('sqlite3', [join(folder, 'berth.db'), '.dump']))
rmSync(folder, { recursive: true })
