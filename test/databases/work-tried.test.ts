/** Credentials that a server accepted before an interrupted and superseded deployment recorded them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EngineUnavailable } from '../../src/engine/engine.ts'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { until } from '../engine/until.ts'
import {
  credentialsIn,
  type Database,
  databaseClientsOf,
  serveWith,
  type Settings,
} from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

for (const kind of kinds) {
  describe(`unrecorded credentials of ${kind.name}`, { concurrency: true }, () => overtakenTests(kind))
}

function overtakenTests(kind: Kind): void {
  const [name] = kind.secrets as [string]

  /** Creates a running database whose server accepts the second of three sets without Berth recording that. */
  async function halfWay(testBerth: TestBerth) {
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up({ appName: 'shop-db' })
    const first = credentialsIn(up, kind)
    const [second, third] = [
      { ...first, [name]: 'the second' },
      { ...first, [name]: 'the third' },
    ]
    const server = serveWith(testBerth, kind, [first, second, third])
    const { answer } = testBerth.engine
    testBerth.engine.answer = (task, program) => {
      const outcome = answer(task, program)
      if (server.rotations.length > 0) throw new EngineUnavailable('the connection broke')
      return outcome
    }
    await databaseClients.act('update', up, { [name]: 'the second' })
    await databaseClients.act('deploy', up)
    await until('the rotation', async () => server.rotations.length > 0)
    const mend = () => {
      testBerth.engine.answer = answer
    }
    return { databaseClients, up, first, second, third, server, mend }
  }

  test('logs in with the accepted credentials after a deploy of others superseded the rotation', async () => {
    await using testBerth = await startTestBerth()
    const { databaseClients, up, first, second, third, server, mend } = await halfWay(testBerth)
    await databaseClients.act('update', up, { [name]: 'the third' })
    await databaseClients.act('deploy', up)
    await testBerth.restart(async () => mend())
    await until('the end', async () => (await databaseClients.one(up)).applicationStatus === 'done')
    assert.deepEqual(server.rotations, [
      { from: first, to: second },
      { from: second, to: third },
    ])
    const [volume] = await testBerth.app.db.selectFrom('volume').select('tried').execute()
    assert.equal(volume!.tried, null, 'the others are closed, and forgotten')
  })

  test('logs in with the accepted credentials after the volume is restored', async () => {
    await using testBerth = await startTestBerth()
    const { databaseClients, up, first, second, server, mend } = await halfWay(testBerth)
    await databaseClients.act('remove', up)
    mend()
    const volumeId = await until('the volume to be kept', async () => {
      const [volume] = await testBerth.ok<{ volumeId: string; state: string }[]>('volume.all')
      return volume?.state === 'kept' && volume.volumeId
    })
    const input = { volumeId, name: 'again', appName: 'again', projectId: testBerth.projectId }
    const done = await databaseClients.settle('deploy', await testBerth.ok<Database>('volume.restore', input))
    assert.deepEqual([done.applicationStatus, credentialsIn(done, kind)], ['done', first])
    assert.deepEqual(server.rotations, [
      { from: first, to: second },
      { from: second, to: first },
    ])
  })

  test('logs in with the initial credentials after a first start that was superseded twice', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create({ appName: 'shop-db' })
    const first = credentialsIn(await databaseClients.one(made), kind)
    const settings = ['the second', 'the third'].map((it): Settings => ({ ...first, [name]: it }))
    const server = serveWith(testBerth, kind, [first, ...settings])
    server.accepted = []
    await databaseClients.act('deploy', made)
    await until('a login', async () => testBerth.engine.calls.run > 0)
    await databaseClients.act('update', made, settings[0])
    await databaseClients.act('deploy', made)
    await until('the service', async () => {
      const [volume] = await testBerth.app.db.selectFrom('volume').select('tried').execute()
      return volume?.tried !== null
    })
    server.accepted = [settings[0]!]
    await databaseClients.act('update', made, settings[1])
    assert.equal((await databaseClients.settle('deploy', made)).applicationStatus, 'done')
    assert.deepEqual(server.accepted, [settings[1]])
  })
}
