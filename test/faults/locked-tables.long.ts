/** Dumps of locked tables with a further version of MySQL and of MariaDB. The ordinary run tests the default version. */
import { after, before, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { checkLockedDump, lockingKinds } from '../e2e/backup-lock-suite.ts'
import { type BackupEnvironment, openBackupEnvironment } from '../e2e/backup-suite.ts'
import { clients } from '../e2e/clients.ts'
import { databaseClientsOn } from '../e2e/database-clients.ts'

const opened = new AsyncDisposableStack()
let runtime: BackupEnvironment
before(async () => {
  runtime = await openBackupEnvironment(opened, 16)
})
after(() => opened.disposeAsync())

for (const name of lockingKinds) {
  const image = clients[name]!.images[1]!
  test(`${image}: a dump reports that it waited for a lock, and does not delay another dump`, async () => {
    const databaseClients = databaseClientsOn(runtime.berth, kindNamed(name), clients[name]!)
    const database = await databaseClients.deployed({ dockerImage: image })
    await checkLockedDump(runtime, databaseClients, database)
    await databaseClients.clear(database)
  })
}
