/**
 * The backup of PostgreSQL, in pg_dump's custom format. A restore fills a new database, which replaces the old database
 * at the end. Roles belong to the server, so no dump contains them. A restore creates the roles that the archive names
 * and the server does not have. Nobody can log in with these roles.
 */
import type { Exec } from '../../engine/exec.ts'
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
import { findingsIn } from '../dump-finding.ts'
import { postgresReader } from './archive.ts'
import { postgresInventory } from './server-inventory.ts'
import { envOf, type Login, roleOf, type Settings } from './login.ts'
import { postgresToolFault } from './tool-fault.ts'

const dumpScript = textFile('kinds/postgres/programs/dump.sh', { secretPath, missingStatus: String(missingStatus) })
const exists = textFile('kinds/postgres/programs/exists.sql')
const settingsPath = '/etc/berth/settings'
const findFaults = textFile('kinds/postgres/programs/find-faults.sql')
const restoreScript = textFile('kinds/postgres/programs/restore.sh', { secretPath })
const settings = textFile('kinds/postgres/programs/settings.sql')
const prepare = textFile('kinds/postgres/programs/prepare.sql', { settingsPath })
const dropScratch = textFile('kinds/postgres/programs/drop-scratch.sql')
const callers = textFile('kinds/postgres/programs/callers.sql')
const replace = textFile('kinds/postgres/programs/replace.sql')
const giveAway = textFile('kinds/postgres/programs/give-away.sql')

function dump(login: Login, target: ServerDatabase): Program {
  const { lockSeconds = defaultLockSeconds } = target
  return {
    argv: ['sh', '-c', dumpScript, 'berth', exists, findFaults],
    missingStatus,
    env: { ...envOf(login, target), BERTH_LOCK_MS: String(lockSeconds * 1000) },
    files: secretFile(roleOf(login).password),
    faultIn: (text) => postgresToolFault(text, roleOf(login).user),
    findingsIn,
  }
}

function restore(login: Login, { roles = [], databaseSettings: dumped = [], ...target }: Target): Program {
  return {
    argv: ['sh', '-c', restoreScript, 'berth', prepare, dropScratch, replace, giveAway, callers],
    env: { ...envOf(login, target), BERTH_ROLES: JSON.stringify(roles), BERTH_OWNER: login.settings.databaseUser },
    // Settings can contain secrets, too.
    files: [
      ...secretFile(roleOf(login).password),
      { path: settingsPath, content: JSON.stringify(dumped), mode: 0o600 },
    ],
    faultIn: (text) => postgresToolFault(text, roleOf(login).user),
  }
}

const databaseSettings = (login: Login, place: ServerDatabase): Exec => ({
  argv: ['psql', '-X', '-q', '-A', '-t', '-w', '-c', settings],
  env: { ...envOf(login, place), PGPASSWORD: roleOf(login).password },
})

export const postgresBackup: Backup<Settings & Record<string, unknown>> = {
  extension: 'dump',
  promise:
    'All tables, large objects, sequences and definitions as of one point in time, with owners, grants and ' +
    'policies. The manifest has the settings of the database, which a restore takes over if the database has none. ' +
    'Not included: passwords and attributes of roles, grants of the database itself, other databases.',
  isAtomic: true,
  // Without pg_cron, its setting has no effect.
  temporaryServerArgs: ['-c', 'archive_mode=off', '-c', 'cron.launch_active_jobs=off'],
  dump,
  databaseSettings,
  restore,
  /** Before version 12, pg_restore reads `-` as a file name, and writes to standard output without `--file`. */
  unpack: (version) => ({ argv: ['pg_restore', ...(Number(version ?? 12) < 12 ? [] : ['--file=-'])], env: {} }),
  reader: postgresReader,
  serverInventory: postgresInventory,
}
