/**
 * The inventory of a MySQL or MariaDB server beyond the contents of its databases: accounts, all privileges, and server
 * settings. No statements that both products share can recreate these, so `exportSql` and `importSql` are absent.
 */
import { textFile } from '../../lib/text-file.ts'
import { type ServerInventory, type Program, secretFile, secretPath } from '../backup.ts'
import { type Address, namedAddress } from '../kind.ts'
import { type ClientDialect, type Credentials, client, connectionEnv } from './programs.ts'

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
    list: ({ databaseUser, databaseRootPassword }, address: Address): Program => ({
      argv,
      env: { ...connectionEnv(namedAddress(address)), BERTH_USER: databaseUser, MYSQL_TEST_LOGIN_FILE: '/dev/null' },
      files: secretFile(databaseRootPassword),
    }),
  }
}
