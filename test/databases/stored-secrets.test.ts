/** Passwords and environments of databases: sealed in the store, shown as they were sent, and in no file or log. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { type Database, type Fleet, fleetOf, serveWith, type Settings, settingsOf } from '../fixtures/fleet.ts'
import { type ProjectBody, type Site, startSite } from '../fixtures/site.ts'

/** Each with a mark of its own, so that none can be found by chance. */
const passwordsFor = (kind: Kind, round: number): Settings =>
  Object.fromEntries(kind.secrets.map((name) => [name, `unseen-${kind.name}-${name}-${round}`]))

const secretsFor = (kind: Kind, round: number): Settings => ({
  ...passwordsFor(kind, round),
  env: `API_KEY=unseen-${kind.name}-env-${round}\nPLAIN=1`,
})

function assertUnseen(site: Site): void {
  for (const name of ['berth.db', 'berth.db-wal', 'berth.lock'].map((name) => join(site.folder, name))) {
    if (existsSync(name)) assert.ok(!readFileSync(name, 'latin1').includes('unseen-'), name)
  }
  assert.ok(!JSON.stringify(site.logged).includes('unseen-'), 'the log')
}

/** Of one kind: made, deployed, changed and deployed again, with calls that are kept for repetition. */
async function live(site: Site, fleet: Fleet): Promise<void> {
  const { kind } = fleet
  const made = await fleet.create(passwordsFor(kind, 0))
  serveWith(
    site,
    kind,
    [0, 1, 2].map((round) => settingsOf(kind, passwordsFor(kind, round))),
  )
  for (const round of [0, 1, 2]) {
    const given = secretsFor(kind, round)
    const key = { 'idempotency-key': `${kind.name}-${round}` }
    const said = await fleet.act('update', made, given, key)
    assert.equal(said.env, given.env)
    assert.equal((await fleet.settle('deploy', made)).applicationStatus, 'done')
  }
  const given = secretsFor(kind, 2)
  const one = await fleet.one(made)
  assert.deepEqual(Object.fromEntries(Object.keys(given).map((name) => [name, one[name]])), given)
  const project = await site.ok<ProjectBody>('project.one', { projectId: site.projectId })
  assert.deepEqual(
    (project[kind.name] as Database[]).map(({ env }) => env),
    [given.env],
  )
}

test('no password and no environment of any kind lies in the store or the log in clear', async () => {
  await using site = await startSite()
  const fleets = kinds.map((kind) => fleetOf(site, kind))
  for (const fleet of fleets) await live(site, fleet)
  assertUnseen(site)
  await site.restart(async () => assertUnseen(site))
  await site.ok('project.remove', { projectId: site.projectId, cascade: true })
  assertUnseen(site)
})

for (const kind of kinds) {
  test(`an environment of ${kind.name} that is sent again is no change, another and none are`, async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const env = 'KEY=value'
    const made = await fleet.create()
    await fleet.act('saveEnvironment', made, { env })
    await fleet.settle('deploy', made)
    const stored = async () => (await site.everything()).database![0]!
    const before = await stored()
    assert.notEqual(before.env, env)
    for (const verb of ['update', 'saveEnvironment']) {
      assert.equal((await fleet.act(verb, made, { env })).pendingChanges, false)
      const after = await stored()
      assert.deepEqual([after.env, after.pendingChanges], [before.env, 0])
    }
    assert.equal((await fleet.act('update', made, { name: 'other' })).env, env)
    assert.equal((await fleet.act('update', made, { env: `${env}s` })).pendingChanges, true)
    assert.equal((await fleet.act('update', made, { env })).pendingChanges, false)
    const none = await fleet.act('update', made, { env: null })
    assert.deepEqual([none.env, none.pendingChanges, (await stored()).env], [null, true, null])
    assert.equal((await fleet.act('saveEnvironment', made, { env: '' })).env, '')
    assert.equal((await fleet.one(made)).env, '')
  })
}
