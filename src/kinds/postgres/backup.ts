/**
 * The backup of PostgreSQL, in pg_dump's custom format. A restore fills a new database, which replaces the old database
 * at the end. Roles belong to the server, so no dump contains them. A restore creates the roles that the archive names
 * and the server does not have. Nobody can log in with these roles.
 */
import { textFile } from '../../lib/text-file.ts'
import {
  type Backup,
  defaultLockSeconds,
  missingStatus,
  type ServerDatabase,
  type Program,
  secretFile,
  secretPath,
  type Target,
} from '../backup.ts'
import { postgresReader } from './archive.ts'
import { postgresInventory } from './server-inventory.ts'
import { envOf, type Login } from './login.ts'

const dumpScript = textFile('kinds/postgres/programs/dump.sh', { secretPath, missingStatus: String(missingStatus) })
const exists = textFile('kinds/postgres/programs/exists.sql')
const restoreScript = textFile('kinds/postgres/programs/restore.sh', { secretPath })
const prepare = textFile('kinds/postgres/programs/prepare.sql')
const dropScratch = textFile('kinds/postgres/programs/drop-scratch.sql')
const replace = textFile('kinds/postgres/programs/replace.sql')

function dump(login: Login, target: ServerDatabase): Program {
  const { lockSeconds = defaultLockSeconds } = target
  return {
    argv: ['sh', '-c', dumpScript, 'berth', exists],
    missingStatus,
    env: { ...envOf(login, target), BERTH_LOCK_MS: String(lockSeconds * 1000) },
    files: secretFile(login.databasePassword),
  }
}

function restore(login: Login, { roles = [], ...target }: Target): Program {
  return {
    argv: ['sh', '-c', restoreScript, 'berth', prepare, dropScratch, replace],
    env: { ...envOf(login, target), BERTH_ROLES: JSON.stringify(roles) },
    files: secretFile(login.databasePassword),
  }
}

export const postgresBackup: Backup<Login & Record<string, unknown>> = {
  extension: 'dump',
  promise:
    'All tables, large objects, sequences and definitions as of one point in time, with owners, grants and ' +
    'policies. Not included: passwords and attributes of roles, settings and grants of the database itself, other ' +
    'databases.',
  isAtomic: true,
  temporaryServerArgs: [],
  dump,
  restore,
  /** Before version 12, pg_restore reads `-` as a file name, and writes to standard output without `--file`. */
  unpack: (version) => ({ argv: ['pg_restore', ...(Number(version ?? 12) < 12 ? [] : ['--file=-'])], env: {} }),
  format: 'pgDump',
  reader: postgresReader,
  serverInventory: postgresInventory,
}
