/**
 * The inventory of a MySQL or MariaDB server beyond the contents of its databases: accounts, all privileges, and server
 * settings. No statements that both products share can recreate these, so `exportSql` and `importSql` are absent.
 */
import { textFile } from '../../lib/text-file.ts'
import { type ServerInventory, type Program, secretFile, secretPath } from '../backup.ts'
import type { Address, ServerLogin } from '../kind.ts'
import { adminOf, type ClientDialect, type Credentials, client } from './programs.ts'

/** The differences between the inventories of the two products. */
export interface InventoryDialect extends ClientDialect {
  /** Queries that print the lines of the inventory. */
  list: string
}

export function mysqlInventory(dialect: InventoryDialect): ServerInventory<Credentials & Record<string, unknown>> {
  const script = client(dialect) + textFile('kinds/mysql/programs/list.sh', { secretPath })
  const argv = ['sh', '-c', script, 'berth', dialect.list]
  return {
    dumped: [
      'database',
      'properties of a database',
      'grant in a database',
      'grant on a table',
      'grant on a column',
      'grant on a routine',
    ],
    list(login: ServerLogin<Credentials>, { host, port }: Address): Program {
      const { user, password } = adminOf(login)
      const names = { BERTH_ADMIN: user, BERTH_USER: login.settings.databaseUser, BERTH_OWN: login.own?.user ?? '' }
      return {
        argv,
        env: { BERTH_HOST: host, BERTH_PORT: String(port), ...names, MYSQL_TEST_LOGIN_FILE: '/dev/null' },
        files: secretFile(password),
      }
    },
  }
}
