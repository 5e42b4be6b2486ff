/** The suite of test/e2e/backup-suite.ts over all kinds that can be dumped, on one Berth, one swarm and one storage. */
import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { backupSuite, type BackupWorld } from './backup-suite.ts'
import { clients } from './clients.ts'
import { startStorage } from './storage.ts'
import { onSwarm } from './swarm.ts'

let world: BackupWorld
before(async () => {
  const [berth, storage] = [await onSwarm(), await startStorage()]
  storage.makeBucket('backups')
  const { status, body } = await berth.call<{ destinationId: string }>('destination.create',
    { name: 'storage', ...storage.settings('backups') })
  assert.equal(status, 200)
  world = { berth, storage, destinationId: body.destinationId }
})
after(async () => {
  await world.berth[Symbol.asyncDispose]()
  await world.storage[Symbol.asyncDispose]()
})

describe('backups', { concurrency: 1 }, () => {
  for (const kind of kinds.filter(({ backup }) => backup !== undefined)) {
    backupSuite(kind, clients[kind.name]!, () => world)
  }
})
