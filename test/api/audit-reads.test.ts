/** Reads that tell a secret leave an entry in the audit log before they are answered; other reads leave none. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { fleetOf } from '../fixtures/fleet.ts'
import { type Site, startSite } from '../fixtures/site.ts'

const entries = async (site: Site) =>
  (await site.app.db.selectFrom('audit').selectAll().orderBy('seq').execute()).map(
    ({ operation, record, result, email }) => ({ operation, record, result, email }),
  )

/** What `work` adds to the log. */
async function added(site: Site, work: () => Promise<unknown>) {
  const before = (await entries(site)).length
  await work()
  return (await entries(site)).slice(before)
}

const tokenOf = async (site: Site, scope: string) =>
  (await site.ok<{ token: string }>('auth.createToken', { name: scope, scope })).token

for (const kind of kinds) {
  test(`whoever reads the passwords of ${kind.name} is noted, once for each token and service`, async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const [first, second] = [fleet.idOf(await fleet.create()), fleet.idOf(await fleet.create())]
    const one = (id: string, as = site.admin) => site.ok(`${kind.name}.one`, { [kind.idField]: id }, {}, as)
    const note = { operation: `${kind.name}.one`, result: 'OK' }
    const reads = await added(site, async () => {
      for (const id of [first, first, second, first]) await one(id)
      await one(first, site.user)
    })
    assert.deepEqual(
      reads.map(({ email, ...rest }) => rest),
      [
        { ...note, record: first },
        { ...note, record: second },
        { ...note, record: first },
      ],
    )
    assert.notEqual(reads[2]!.email, reads[0]!.email)
    const masked = { read: await tokenOf(site, 'read'), deploy: await tokenOf(site, 'deploy') }
    const open = await tokenOf(site, 'admin')
    assert.deepEqual(await added(site, () => one(first, masked.read)), [])
    assert.deepEqual(await added(site, () => one(first, masked.deploy)), [])
    assert.equal((await added(site, () => one(first, open))).length, 1)
  })
}

describe('join tokens', () => {
  test('whoever reads one is noted; whoever is refused, and reads without secrets, are not', async () => {
    await using site = await startSite()
    const names = ['cluster.addWorker', 'cluster.addManager']
    const reads = await added(site, async () => {
      for (const name of names) await site.ok(name)
    })
    assert.deepEqual(
      reads.map(({ operation }) => operation),
      names,
    )
    const others = await added(site, async () => {
      for (const name of ['cluster.getNodes', 'project.all', 'volume.all', 'auth.get']) await site.ok(name)
      assert.equal((await site.call('cluster.addWorker', {}, {}, site.user)).status, 403)
    })
    assert.deepEqual(others, [])
  })

  test('one that could not be read is not noted, and a read that could not be noted is not answered', async () => {
    await using site = await startSite()
    site.engine.setDown(true)
    assert.deepEqual(
      await added(site, async () => {
        assert.equal((await site.call('cluster.addWorker')).status, 503)
      }),
      [],
    )
    site.engine.setDown(false)
    using store = new DatabaseSync(join(site.folder, 'berth.db'))
    store.exec('alter table audit rename to hidden')
    assert.equal((await site.call('cluster.addWorker')).status, 500)
    store.exec('alter table hidden rename to audit')
    assert.equal((await added(site, () => site.ok('cluster.addWorker'))).length, 1)
  })
})
