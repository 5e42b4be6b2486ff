/**
 * Runs the suite of backup-suite.ts for PostgreSQL and, more briefly, for Redis, or for all kinds that support backups if
 * BERTH_TEST_ALL is set. restore-in-place.test.ts tests the kinds whose restore replaces the volume; dumps.test.ts covers
 * the contents that the programs of the kinds preserve.
 */
import { after, before, describe } from 'node:test'
import { kindNamed, kinds } from '../../src/kinds/index.ts'
import { backupSuite, type BackupEnvironment, openBackupEnvironment } from './backup-suite.ts'
import { clients } from './clients.ts'
import { shouldTestAll } from './representative.ts'

const opened = new AsyncDisposableStack()
let runtime: BackupEnvironment
before(async () => {
  runtime = await openBackupEnvironment(opened)
})
after(() => opened.disposeAsync())

describe('backups', { concurrency: 2 }, () => {
  const brief = ['postgres', 'redis'].map(kindNamed)
  const tested = shouldTestAll ? kinds.filter((kind) => kind.backup !== undefined) : brief
  for (const kind of tested) {
    const isThorough = shouldTestAll || kind.name === 'postgres'
    backupSuite(kind, clients[kind.name]!, isThorough, () => runtime)
  }
})
