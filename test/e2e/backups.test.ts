/**
 * Runs the suite of backup-suite.ts for PostgreSQL, or for all kinds that support backups if BERTH_TEST_ALL is set. For
 * the other kinds, it runs a dump and a drill; dumps.test.ts covers the contents that their programs preserve.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { kindNamed, kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { until } from '../engine/until.ts'
import { backupSuite, type BackupEnvironment, type RunAnswer } from './backup-suite.ts'
import { clients } from './clients.ts'
import { databaseClientsOn } from './database-clients.ts'
import { representative } from './representative.ts'
import { startStorage } from './storage.ts'
import { docker, onSwarm } from './swarm.ts'

const opened = new AsyncDisposableStack()
let runtime: BackupEnvironment
before(async () => {
  const storage = opened.use(await startStorage())
  const berth = opened.use(await onSwarm())
  storage.makeBucket('backups')
  const { status, body } = await berth.call<{ destinationId: string }>('destination.create', {
    name: 'storage',
    ...storage.settings('backups'),
  })
  assert.equal(status, 200)
  runtime = { berth, storage, destinationId: body.destinationId }
})
after(() => opened.disposeAsync())

describe('backups', { concurrency: 2 }, () => {
  const postgres = kindNamed('postgres')
  const others = kinds.filter((kind) => kind.backup !== undefined && kind !== postgres)
  const fullyTested = representative([postgres, ...others])
  for (const kind of fullyTested) backupSuite(kind, clients[kind.name]!, () => runtime)
  for (const kind of others) {
    if (!fullyTested.includes(kind)) test(`${kind.name}: a drill verifies a dump`, () => dumpAndVerify(kind))
  }
})

async function dumpAndVerify(kind: Kind): Promise<void> {
  const { berth, destinationId } = runtime
  const databaseClients = databaseClientsOn(berth, kind, clients[kind.name]!)
  const database = await databaseClients.deployed()
  await databaseClients.open(database, (session) => session.write('first'))
  const {
    body: { backupId },
  } = await berth.call<{ backupId: string }>('backup.create', {
    schedule: '0 3 * * *',
    prefix: 'brief',
    destinationId,
    database: 'shop',
    databaseType: kind.name,
    [kind.idField]: database[kind.idField],
  })
  const run = (name: string) => berth.call<RunAnswer>(`backup.${name}`, { backupId }, undefined, { prefer: 'wait=300' })
  const dump = await run(kind.manualBackup!)
  assert.deepEqual([dump.status, dump.body.message, dump.body.status], [200, undefined, 'done'])
  const drill = await run('verify')
  assert.deepEqual([drill.status, drill.body.message], [200, undefined])
  const volume = ['--filter', `name=berth-tls-${drill.body.runId}`]
  await until(
    "the end of the scratch server's certificate",
    async () => (await docker('volume', 'ls', '--quiet', ...volume)).length === 0,
  )
  assert.match(drill.body.reason!, /^Restored and equal: 1 tables? with 1 rows/)
  await databaseClients.clear(database)
}
