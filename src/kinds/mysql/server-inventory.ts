/**
 * The inventory of a MySQL or MariaDB server beyond the contents of its databases: accounts, all privileges, and server
 * settings. Another server gets them as rows of the tables that have them, because only that copies everything about an
 * account. Both servers have the same version: they have the same image.
 */
import { textFile } from '../../lib/text-file.ts'
import { type ServerInventory, type Program, secretFile, secretPath } from '../backup.ts'
import type { Address, ServerLogin } from '../kind.ts'
import { completeMark } from './archive.ts'
import { adminOf, type ClientDialect, type Credentials, client } from './programs.ts'
import { sqlFile } from './sql.ts'

/** The differences between the inventories of the two products. */
export interface InventoryDialect extends ClientDialect {
  /** Queries that print the lines of the inventory. */
  list: string
  /** Queries that print statements which record the settings that the server itself stores; '' if it stores none. */
  exportSettings: string
  /** Shell commands that print the path of the dump program. */
  findDump: string
  /** Options of the dump program in addition to the shared ones. */
  dumpOptions: string
  /**
   * The statement that begins each session of a dump or restore. No setting of the server may refuse, end or change such
   * a session. Dumps set the rest themselves: character set, time zone, checks of foreign and unique keys.
   */
  session: string
}

const copiedTables = sqlFile('kinds/mysql/programs/copied-tables.sql').trimEnd()

/** The place of the name of the database among the fields of an entry, by the type of the entry. */
const databaseField: Readonly<Record<string, number>> = {
  'properties of a database': 0,
  'grant in a database': 1,
  'grant on a table': 1,
  'grant on a column': 1,
  'grant on a routine': 2,
}

export function mysqlInventory(dialect: InventoryDialect): ServerInventory<Credentials & Record<string, unknown>> {
  const { findDump, dumpOptions, session, exportSettings } = dialect
  const programOf = (script: string, ...texts: string[]) => {
    const text = client(dialect) + script
    return (login: ServerLogin<Credentials>, { host, port }: Address): Program => {
      const { user, password } = adminOf(login)
      const names = { BERTH_ADMIN: user, BERTH_USER: login.settings.databaseUser, BERTH_OWN: login.own?.user ?? '' }
      const server = { BERTH_HOST: host, BERTH_PORT: String(port), MYSQL_TEST_LOGIN_FILE: '/dev/null' }
      // The options of the dump program name this variable.
      const waits = { BERTH_SESSION: session, BERTH_LOCK_SECONDS: '60' }
      return {
        argv: ['sh', '-c', text, 'berth', ...texts],
        env: { ...server, ...names, ...waits },
        files: secretFile(password),
      }
    }
  }
  const exportScript = textFile('kinds/mysql/programs/export.sh', { secretPath, findDump, dumpOptions, completeMark })
  return {
    dumped: [
      'database',
      'properties of a database',
      'grant in a database',
      'grant on a table',
      'grant on a column',
      'grant on a routine',
    ],
    concerns(line, database) {
      const [type = '', ...fields] = line.split('\t')
      if (type === 'database') return fields[0] === Buffer.from(database).toString('hex')
      const field = unquoted(fields[databaseField[type] ?? fields.length] ?? '')
      return [field, field.replace(/\\([_%])/g, '$1')].includes(database)
    },
    list: programOf(textFile('kinds/mysql/programs/list.sh', { secretPath }), dialect.list),
    exportEntries: programOf(exportScript, copiedTables, exportSettings),
    importEntries: programOf(textFile('kinds/mysql/programs/import.sh', { secretPath })),
  }
}

/** The text that the function `quote` of the server has quoted. */
const unquoted = (text: string) => text.slice(1, -1).replace(/\\(.)/gs, '$1')
