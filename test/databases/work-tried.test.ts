/** Credentials that a server may have taken before anybody knew: work on it was cut off, and overtaken. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EngineUnavailable } from '../../src/engine/engine.ts'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { until } from '../engine/until.ts'
import { credentialsIn, type Database, fleetOf, serveWith, type Settings } from '../fixtures/fleet.ts'
import { type Site, startSite } from '../fixtures/site.ts'

for (const kind of kinds) {
  describe(`credentials that ${kind.name} may have taken`, { concurrency: true }, () => overtakenTests(kind))
}

function overtakenTests(kind: Kind): void {
  const [name] = kind.secrets as [string]

  /** One that is up; its server takes the second of three sets, and Berth does not hear of it. */
  async function halfWay(site: Site) {
    const fleet = fleetOf(site, kind)
    const up = await fleet.up({ appName: 'shop-db' })
    const first = credentialsIn(up, kind)
    const [second, third] = [
      { ...first, [name]: 'the second' },
      { ...first, [name]: 'the third' },
    ]
    const server = serveWith(site, kind, [first, second, third])
    const { answer } = site.engine
    site.engine.answer = (task, program) => {
      const outcome = answer(task, program)
      if (server.rotations.length > 0) throw new EngineUnavailable('the connection broke')
      return outcome
    }
    await fleet.act('update', up, { [name]: 'the second' })
    await fleet.act('deploy', up)
    await until('the rotation', async () => server.rotations.length > 0)
    const mend = () => {
      site.engine.answer = answer
    }
    return { fleet, up, first, second, third, server, mend }
  }

  test('a deploy of others overtakes it: the server is found with those that it took', async () => {
    await using site = await startSite()
    const { fleet, up, first, second, third, server, mend } = await halfWay(site)
    await fleet.act('update', up, { [name]: 'the third' })
    await fleet.act('deploy', up)
    await site.restart(async () => mend())
    await until('the end', async () => (await fleet.one(up)).applicationStatus === 'done')
    assert.deepEqual(server.rotations, [
      { from: first, to: second },
      { from: second, to: third },
    ])
    const [volume] = await site.app.db.selectFrom('volume').select('tried').execute()
    assert.equal(volume!.tried, null, 'the others are closed, and forgotten')
  })

  test('it is removed: whoever takes up its volume finds the server with those that it took', async () => {
    await using site = await startSite()
    const { fleet, up, first, second, server, mend } = await halfWay(site)
    await fleet.act('remove', up)
    mend()
    const volumeId = await until('the volume to be kept', async () => {
      const [volume] = await site.ok<{ volumeId: string; state: string }[]>('volume.all')
      return volume?.state === 'kept' && volume.volumeId
    })
    const input = { volumeId, name: 'again', appName: 'again', projectId: site.projectId }
    const done = await fleet.settle('deploy', await site.ok<Database>('volume.restore', input))
    assert.deepEqual([done.applicationStatus, credentialsIn(done, kind)], ['done', first])
    assert.deepEqual(server.rotations, [
      { from: first, to: second },
      { from: second, to: first },
    ])
  })

  test('a first start that is overtaken twice: the server began with those in the middle', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const made = await fleet.create({ appName: 'shop-db' })
    const first = credentialsIn(await fleet.one(made), kind)
    const settings = ['the second', 'the third'].map((it): Settings => ({ ...first, [name]: it }))
    const server = serveWith(site, kind, [first, ...settings])
    server.accepted = []
    await fleet.act('deploy', made)
    await until('a login', async () => site.engine.calls.run > 0)
    await fleet.act('update', made, settings[0])
    await fleet.act('deploy', made)
    await until('the service', async () => {
      const [volume] = await site.app.db.selectFrom('volume').select('tried').execute()
      return volume?.tried !== null
    })
    server.accepted = [settings[0]!]
    await fleet.act('update', made, settings[1])
    assert.equal((await fleet.settle('deploy', made)).applicationStatus, 'done')
    assert.deepEqual(server.accepted, [settings[1]])
  })
}
