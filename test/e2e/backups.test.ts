/**
 * Runs the suite of backup-suite.ts for PostgreSQL, or for all kinds that support backups if BERTH_TEST_ALL is set. For
 * every kind, it runs the tests of backup-empty-suite.ts; dumps.test.ts covers the contents that the programs of the
 * kinds preserve.
 */
import { after, before, describe } from 'node:test'
import { kindNamed, kinds } from '../../src/kinds/index.ts'
import { emptySuite } from './backup-empty-suite.ts'
import { backupSuite, type BackupEnvironment, openBackupEnvironment } from './backup-suite.ts'
import { clients } from './clients.ts'
import { representative } from './representative.ts'

const opened = new AsyncDisposableStack()
let runtime: BackupEnvironment
before(async () => {
  runtime = await openBackupEnvironment(opened, 16)
})
after(() => opened.disposeAsync())

describe('backups', { concurrency: 2 }, () => {
  const postgres = kindNamed('postgres')
  const others = kinds.filter((kind) => kind.backup !== undefined && kind !== postgres)
  const fullyTested = representative([postgres, ...others])
  for (const kind of fullyTested) backupSuite(kind, clients[kind.name]!, () => runtime)
  for (const kind of [...others, postgres]) emptySuite(kind, !fullyTested.includes(kind), () => runtime)
})
