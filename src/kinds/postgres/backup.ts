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
import { envOf, furtherSessionOf, loadOptions, type Login, roleOf, type Settings } from './login.ts'
import { postgresOutcome } from './restore-outcome.ts'
import { postgresToolFault } from './tool-fault.ts'

const furtherOptions = textFile('kinds/postgres/programs/further-options.sql')
const session = textFile('kinds/postgres/programs/session.sh', { secretPath })
const dumpScript = session + textFile('kinds/postgres/programs/dump.sh', { missingStatus: String(missingStatus) })
const exists = textFile('kinds/postgres/programs/exists.sql')
const settingsPath = '/etc/berth/settings'
const findFaults = textFile('kinds/postgres/programs/find-faults.sql')
const restoreScript = session + textFile('kinds/postgres/programs/restore.sh')
const settings = textFile('kinds/postgres/programs/settings.sql')
const prepare = textFile('kinds/postgres/programs/prepare.sql', { settingsPath })
const dropScratch = textFile('kinds/postgres/programs/drop-scratch.sql')
const callers = textFile('kinds/postgres/programs/callers.sql')
const replace = textFile('kinds/postgres/programs/replace.sql')
const beginLoad = textFile('kinds/postgres/programs/begin-load.sql')
const endLoad = textFile('kinds/postgres/programs/end-load.sql')
const scheduler = textFile('kinds/postgres/programs/scheduler.sql')

/**
 * The settings of a server whose data must not change, and which must not reach other servers. PostgreSQL accepts settings
 * of extensions that the server does not load. All versions of pg_cron run jobs from the database with this name only, and
 * there is none. Version 1.6 has a setting for this, but Debian 12 has an older version.
 */
const quiet = [
  'archive_mode=off',
  'max_logical_replication_workers=0',
  'cron.database_name=berth_no_jobs',
  'timescaledb.max_background_workers=0',
  'timescaledb.telemetry_level=off',
  'pg_partman_bgw.dbname=',
]

function dump(login: Login, target: ServerDatabase): Program {
  const { lockSeconds = defaultLockSeconds } = target
  return {
    argv: ['sh', '-c', dumpScript, 'berth', furtherOptions, exists, findFaults],
    missingStatus,
    env: { ...envOf(login, target), ...furtherSessionOf('dump'), BERTH_LOCK_MS: String(lockSeconds * 1000) },
    files: secretFile(roleOf(login).password),
    faultIn: (text) => postgresToolFault(text, roleOf(login).user),
    findingsIn,
  }
}

/** The last line of restore.sh if the scheduler of pg_cron has ended for good. */
const restartNeededBy = (text: string) => /^Berth: RestartNeeded (\w+)$/m.exec(text)?.[1] ?? null

function restore(login: Login, { roles = [], databaseSettings: dumped = [], ...target }: Target): Program {
  return {
    argv: [
      ...['sh', '-c', restoreScript, 'berth', furtherOptions],
      ...[prepare, dropScratch, beginLoad, endLoad, replace, callers, scheduler],
    ],
    env: {
      ...envOf(login, target),
      ...furtherSessionOf('restore'),
      // end-restore.sql ends the sessions of this name.
      PGAPPNAME: 'berth-restore',
      BERTH_LOAD_OPTIONS: loadOptions,
      BERTH_ROLES: JSON.stringify(roles),
      BERTH_OWNER: login.settings.databaseUser,
    },
    // Settings can contain secrets, too.
    files: [
      ...secretFile(roleOf(login).password),
      { path: settingsPath, content: JSON.stringify(dumped), mode: 0o600 },
    ],
    restartNeededBy,
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
  atomicRestore: postgresOutcome,
  temporaryServerArgs: quiet.flatMap((setting) => ['-c', setting]),
  dump,
  databaseSettings,
  restore,
  /** Before version 12, pg_restore reads `-` as a file name, and writes to standard output without `--file`. */
  unpack: (version) => ({ argv: ['pg_restore', ...(Number(version ?? 12) < 12 ? [] : ['--file=-'])], env: {} }),
  reader: postgresReader,
  serverInventory: postgresInventory,
}
