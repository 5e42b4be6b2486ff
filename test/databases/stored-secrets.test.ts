/** Passwords and environments of databases are sealed in the store and never appear in clear text in a file or log. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import {
  type Database,
  type DatabaseClients,
  databaseClientsOf,
  fakeDatabaseServer,
  sampleKind,
  type Settings,
  settingsOf,
} from '../fixtures/database-clients.ts'
import { type ProjectBody, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

/** Each secret has a unique text, which cannot occur in a file by chance. */
const passwordsFor = (kind: Kind, round: number): Settings =>
  Object.fromEntries(kind.secrets.map((name) => [name, `unseen-${kind.name}-${name}-${round}`]))

const secretsFor = (kind: Kind, round: number): Settings => ({
  ...passwordsFor(kind, round),
  env: `API_KEY=unseen-${kind.name}-env-${round}\nPLAIN=1`,
})

function assertNoSecrets(testBerth: TestBerth): void {
  for (const name of ['berth.db', 'berth.db-wal', 'berth.lock'].map((name) => join(testBerth.folder, name))) {
    if (existsSync(name)) assert.ok(!readFileSync(name, 'latin1').includes('unseen-'), name)
  }
  assert.ok(!JSON.stringify(testBerth.logged).includes('unseen-'), 'the log')
}

/** Creates a database, then changes and deploys it three times with idempotency keys, whose responses are stored. */
async function useSecrets(testBerth: TestBerth, databaseClients: DatabaseClients): Promise<void> {
  const { kind } = databaseClients
  const database = await databaseClients.create(passwordsFor(kind, 0))
  fakeDatabaseServer(
    testBerth,
    kind,
    [0, 1, 2].map((round) => settingsOf(kind, passwordsFor(kind, round))),
  )
  for (const round of [0, 1, 2]) {
    const input = secretsFor(kind, round)
    const key = { 'idempotency-key': `${kind.name}-${round}` }
    const updated = await databaseClients.ok('update', database, input, key)
    assert.equal(updated.env, input.env)
    assert.equal((await databaseClients.complete('deploy', database)).applicationStatus, 'done')
  }
  const input = secretsFor(kind, 2)
  const record = await databaseClients.one(database)
  assert.deepEqual(Object.fromEntries(Object.keys(input).map((name) => [name, record[name]])), input)
  const project = await testBerth.ok<ProjectBody>('project.one', { projectId: testBerth.projectId })
  assert.deepEqual(
    (project[kind.name] as Database[]).map(({ env }) => env),
    [input.env],
  )
}

test('stores and logs no password and no environment in clear text', async () => {
  await using testBerth = await startTestBerth()
  const allDatabaseClients = kinds.map((kind) => databaseClientsOf(testBerth, kind))
  for (const databaseClients of allDatabaseClients) await useSecrets(testBerth, databaseClients)
  assertNoSecrets(testBerth)
  await testBerth.restart(async () => assertNoSecrets(testBerth))
  await testBerth.ok('project.remove', { projectId: testBerth.projectId, cascade: true })
  assertNoSecrets(testBerth)
})

test('sets pendingChanges only if the environment differs', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, sampleKind)
  const env = 'KEY=value'
  const database = await databaseClients.create()
  await databaseClients.ok('saveEnvironment', database, { env })
  await databaseClients.complete('deploy', database)
  const stored = async () => (await testBerth.everything()).database![0]!
  const before = await stored()
  assert.notEqual(before.env, env)
  for (const verb of ['update', 'saveEnvironment']) {
    assert.equal((await databaseClients.ok(verb, database, { env })).pendingChanges, false)
    const after = await stored()
    assert.deepEqual([after.env, after.pendingChanges], [before.env, 0])
  }
  assert.equal((await databaseClients.ok('update', database, { name: 'other' })).env, env)
  assert.equal((await databaseClients.ok('update', database, { env: `${env}s` })).pendingChanges, true)
  assert.equal((await databaseClients.ok('update', database, { env })).pendingChanges, false)
  const none = await databaseClients.ok('update', database, { env: null })
  assert.deepEqual([none.env, none.pendingChanges, (await stored()).env], [null, true, null])
  assert.equal((await databaseClients.ok('saveEnvironment', database, { env: '' })).env, '')
  assert.equal((await databaseClients.one(database)).env, '')
})
