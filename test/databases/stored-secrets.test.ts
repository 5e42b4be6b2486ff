/** Passwords and environments of databases are sealed in the store and never appear in clear in a file or log. */
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
  serveWith,
  type Settings,
  settingsOf,
} from '../fixtures/database-clients.ts'
import { type ProjectBody, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

/** Each secret has a unique mark, so that none is found by chance. */
const passwordsFor = (kind: Kind, round: number): Settings =>
  Object.fromEntries(kind.secrets.map((name) => [name, `unseen-${kind.name}-${name}-${round}`]))

const secretsFor = (kind: Kind, round: number): Settings => ({
  ...passwordsFor(kind, round),
  env: `API_KEY=unseen-${kind.name}-env-${round}\nPLAIN=1`,
})

function assertUnseen(testBerth: TestBerth): void {
  for (const name of ['berth.db', 'berth.db-wal', 'berth.lock'].map((name) => join(testBerth.folder, name))) {
    if (existsSync(name)) assert.ok(!readFileSync(name, 'latin1').includes('unseen-'), name)
  }
  assert.ok(!JSON.stringify(testBerth.logged).includes('unseen-'), 'the log')
}

/** Creates, deploys, changes and deploys a database again, with idempotency keys whose responses are stored. */
async function live(testBerth: TestBerth, databaseClients: DatabaseClients): Promise<void> {
  const { kind } = databaseClients
  const made = await databaseClients.create(passwordsFor(kind, 0))
  serveWith(
    testBerth,
    kind,
    [0, 1, 2].map((round) => settingsOf(kind, passwordsFor(kind, round))),
  )
  for (const round of [0, 1, 2]) {
    const given = secretsFor(kind, round)
    const key = { 'idempotency-key': `${kind.name}-${round}` }
    const said = await databaseClients.act('update', made, given, key)
    assert.equal(said.env, given.env)
    assert.equal((await databaseClients.settle('deploy', made)).applicationStatus, 'done')
  }
  const given = secretsFor(kind, 2)
  const one = await databaseClients.one(made)
  assert.deepEqual(Object.fromEntries(Object.keys(given).map((name) => [name, one[name]])), given)
  const project = await testBerth.ok<ProjectBody>('project.one', { projectId: testBerth.projectId })
  assert.deepEqual(
    (project[kind.name] as Database[]).map(({ env }) => env),
    [given.env],
  )
}

test('stores and logs no password and no environment in clear', async () => {
  await using testBerth = await startTestBerth()
  const allDatabaseClients = kinds.map((kind) => databaseClientsOf(testBerth, kind))
  for (const databaseClients of allDatabaseClients) await live(testBerth, databaseClients)
  assertUnseen(testBerth)
  await testBerth.restart(async () => assertUnseen(testBerth))
  await testBerth.ok('project.remove', { projectId: testBerth.projectId, cascade: true })
  assertUnseen(testBerth)
})

for (const kind of kinds) {
  test(`treats the same environment of ${kind.name} as unchanged, another or none as a change`, async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const env = 'KEY=value'
    const made = await databaseClients.create()
    await databaseClients.act('saveEnvironment', made, { env })
    await databaseClients.settle('deploy', made)
    const stored = async () => (await testBerth.everything()).database![0]!
    const before = await stored()
    assert.notEqual(before.env, env)
    for (const verb of ['update', 'saveEnvironment']) {
      assert.equal((await databaseClients.act(verb, made, { env })).pendingChanges, false)
      const after = await stored()
      assert.deepEqual([after.env, after.pendingChanges], [before.env, 0])
    }
    assert.equal((await databaseClients.act('update', made, { name: 'other' })).env, env)
    assert.equal((await databaseClients.act('update', made, { env: `${env}s` })).pendingChanges, true)
    assert.equal((await databaseClients.act('update', made, { env })).pendingChanges, false)
    const none = await databaseClients.act('update', made, { env: null })
    assert.deepEqual([none.env, none.pendingChanges, (await stored()).env], [null, true, null])
    assert.equal((await databaseClients.act('saveEnvironment', made, { env: '' })).env, '')
    assert.equal((await databaseClients.one(made)).env, '')
  })
}
