/**
 * The backup of MySQL and MariaDB: an SQL dump of one database in one transaction. A statement with the defaults of the
 * database precedes the dump. The grants in the database and an end mark follow.
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
import { completeMark, mysqlReader } from './archive.ts'
import type { ServerLogin } from '../kind.ts'
import { boundTypes } from './bound-objects.ts'
import { type InventoryDialect, mysqlInventory } from './server-inventory.ts'
import { adminOf, type Credentials, client } from './programs.ts'
import { restoreSettings, setGlobals } from './restore-settings.ts'
import { sqlFile } from './sql.ts'

/** The differences between the backups of the two products. */
export interface BackupDialect extends InventoryDialect {
  /**
   * A query that prints statements. They create each missing account that has a grant in the database. Nobody can log
   * in to these accounts.
   */
  createAccounts: string
  /**
   * Parts of a query that prints the settings of the server that hide data from a dump program without the option
   * --init-command.
   */
  limits: readonly string[]
  /** Settings that only the whole server has, and their values during a restore, in addition to the shared ones. */
  restoreGlobals: Readonly<Record<string, number>>
  /** Text that follows the shared `Backup.promise`. */
  promise: string
}

const defaults = `select concat('ALTER DATABASE CHARACTER SET ', @@character_set_database,
  ' COLLATE ', @@collation_database, ';')`
/** The storage engines whose tables the dump programs write without rows, because the rows are not on this server. */
const foreignEngines = "'FEDERATED', 'SPIDER', 'CONNECT'"
/** Finds out whether the database has ARCHIVE tables with numbers that the server assigns. */
const archives = `select 1 from information_schema.tables where cast(table_schema as binary) = cast(database() as binary)
  and engine = 'ARCHIVE' and auto_increment is not null limit 1`
const showGrants = sqlFile('kinds/mysql/programs/show-grants.sql').trimEnd()
const waitForTables = sqlFile('kinds/mysql/programs/wait-for-tables.sql', { foreignEngines }).trimEnd()
const checkViews = sqlFile('kinds/mysql/programs/check-views.sql').trimEnd()
const tryView = sqlFile('kinds/mysql/programs/try-view.sql').trimEnd()
const showFields = sqlFile('kinds/mysql/programs/show-fields.sql').trimEnd()
const defineView = sqlFile('kinds/mysql/programs/define-view.sql').trimEnd()
const findFaults = sqlFile('kinds/mysql/programs/find-faults.sql', { foreignEngines }).trimEnd()
const ownFiles = sqlFile('kinds/mysql/programs/own-files.sql').trimEnd()
const createDatabase = sqlFile('kinds/mysql/programs/create-database.sql').trimEnd()
const endSessions = sqlFile('kinds/mysql/programs/end-sessions.sql').trimEnd()
const dropAll = sqlFile('kinds/mysql/programs/drop-all.sql').trimEnd()
/** A dump writes binary values in hexadecimal digits, so a row can be longer than the largest packet. */
const restoreGlobals = { max_allowed_packet: 1024 ** 3 }

/** These lines enclose the views that need other databases of the server. */
const needingBegin = '-- Berth: begin of the views that need other databases'
const needingEnd = '-- Berth: end of the views that need other databases'

function dumpScript(dialect: BackupDialect): string {
  const { findDump, dumpOptions } = dialect
  const status = String(missingStatus)
  const values = { secretPath, findDump, dumpOptions, completeMark, needingBegin, needingEnd, missingStatus: status }
  const findings = textFile('kinds/mysql/programs/findings.sh')
  return client(dialect) + findings + textFile('kinds/mysql/programs/dump.sh', values)
}

const restoreScript = (it: BackupDialect) =>
  client(it) + textFile('kinds/mysql/programs/restore.sh', { secretPath, needingBegin, needingEnd })

const envOf = ({ host, port, database, lockSeconds = defaultLockSeconds }: ServerDatabase): Record<string, string> => ({
  BERTH_HOST: host,
  BERTH_PORT: String(port),
  BERTH_DATABASE: database,
  MYSQL_TEST_LOGIN_FILE: '/dev/null',
  BERTH_LOCK_SECONDS: String(lockSeconds),
})

export function mysqlBackup(dialect: BackupDialect): Backup<Credentials & Record<string, unknown>> {
  const program =
    (script: string, ...texts: string[]) =>
    (login: ServerLogin<Credentials>, target: ServerDatabase): Program => {
      const { user, password } = adminOf(login)
      return {
        argv: ['sh', '-c', script, 'berth', ...texts],
        env: { ...envOf(target), BERTH_SESSION: dialect.session, BERTH_ADMIN: user },
        files: secretFile(password),
      }
    }
  const dumpWith = program(
    dumpScript(dialect),
    defaults,
    dialect.createAccounts,
    showGrants,
    waitForTables,
    checkViews,
    tryView,
    showFields,
    defineView,
    findFaults,
    `select ${dialect.limits.join(' union all select ')}`,
    ownFiles,
    archives,
  )
  const globals = { ...restoreGlobals, ...dialect.restoreGlobals }
  const restoreWith = program(restoreScript(dialect), createDatabase, endSessions, dropAll, setGlobals(globals))
  return {
    extension: 'sql',
    promise:
      'All tables of transactional engines (InnoDB) as of one point in time, with views, routines, triggers, events, ' +
      'definers, and the grants in the database. Grants are restored only into a database of the same name. Tables ' +
      'of other engines, definitions and grants are as of the time when each of them was read. Of views that the ' +
      'server refuses to read, only the definitions are included, as comments. Not included: ' +
      `passwords, other databases.${dialect.promise}`,
    // The volume of a move can be that of a replica. Each product has one of the last two options.
    temporaryServerArgs: ['--event-scheduler=OFF', '--loose-skip-replica-start', '--loose-skip-slave-start'],
    boundTypes,
    dump: (login, target) => ({ ...dumpWith(login, target), missingStatus }),
    restore(login, { withoutNeeds = false, ...target }: Target) {
      const { env, ...rest } = restoreWith(login, target)
      return { ...rest, env: { ...env, BERTH_WITHOUT_NEEDS: withoutNeeds ? '1' : '' } }
    },
    restoreSettings: restoreSettings(dialect, Object.keys(globals), dialect.session),
    reader: mysqlReader,
    serverInventory: mysqlInventory(dialect),
  }
}
