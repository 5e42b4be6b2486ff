/**
 * Every version of every kind that the tests have an image of: deploys, accepts a changed password and keeps its data.
 * An image is refused if its version cannot open the volume.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { clients } from './clients.ts'
import { type DatabaseClients, databaseClientsOn } from './database-clients.ts'
import { onSwarm, type Swarm } from './swarm.ts'

let berth: Swarm
before(async () => {
  berth = await onSwarm()
})
after(() => berth[Symbol.asyncDispose]())

describe('versions', { concurrency: 3 }, () => {
  for (const kind of kinds) {
    const { images } = clients[kind.name]!
    for (const image of images) {
      const others = images.filter((other) => other !== image && other.split(':')[0] === image.split(':')[0])
      test(image, () => testImage(databaseClientsOn(berth, kind, clients[kind.name]!), image, others))
    }
  }
})

async function testImage(databaseClients: DatabaseClients, image: string, others: string[]): Promise<void> {
  const { kind } = databaseClients
  const database = await databaseClients.deployed({ dockerImage: image })
  await databaseClients.open(database, (session) => session.write('first'))
  const oldUrl = await databaseClients.urlOf(database)
  await databaseClients.call('update', database, Object.fromEntries(kind.secrets.map((name) => [name, 'changed'])))
  await databaseClients.done('deploy', database)
  assert.notEqual(await databaseClients.refusal(oldUrl), '')
  assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
  for (const other of others) await changeImage(databaseClients, database, other)
  await databaseClients.clear(database)
}

/** Changes the image of the database, and asserts that the call succeeds only if the image can open the volume. */
async function changeImage(databaseClients: DatabaseClients, database: { [field: string]: unknown }, other: string) {
  const { kind } = databaseClients
  const { volume } = await databaseClients.one(database)
  const { body: volumes } = await berth.call<{ name: string; version: string }[]>('volume.all')
  const dataVersion = volumes.find(({ name }) => name === volume)!.version
  const { status, body } = await databaseClients.call('update', database, { dockerImage: other })
  if (!kind.opens(dataVersion, kind.versionOf(other.split(':')[1]!)!)) {
    assert.equal(status, 412, `${other} on a volume of ${dataVersion}`)
    assert.match(body.message, /which .* cannot open/)
    return
  }
  assert.equal(status, 200, body.message)
  await databaseClients.done('deploy', database)
  assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
}
