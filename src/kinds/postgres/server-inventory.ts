/**
 * The inventory of a PostgreSQL server beyond its databases' contents. Roles and databases can be recreated from it.
 */
import { textFile } from '../../lib/text-file.ts'
import { type ServerInventory, type Program, secretFile, secretPath } from '../backup.ts'
import type { Address } from '../kind.ts'
import { envOf, type Login } from './login.ts'

const listServer = textFile('kinds/postgres/programs/list-server.sql')
const listOwn = textFile('kinds/postgres/programs/list-own.sql')
/** Lists the server, then the contents of the server's own databases, which should be empty and are not dumped. */
const list = [
  listServer,
  'SELECT current_database() AS "BERTH_OWN"',
  String.raw`\gset`,
  String.raw`\connect postgres`,
  listOwn,
  String.raw`\connect template1`,
  listOwn,
].join('\n')
const give = textFile('kinds/postgres/programs/give.sql')
const printScript = textFile('kinds/postgres/programs/print.sh', { secretPath })
const takeScript = textFile('kinds/postgres/programs/take.sh', { secretPath })

const programOf =
  (script: string, ...texts: string[]) =>
  (login: Login, address: Address): Program => ({
    argv: ['sh', '-c', script, 'berth', ...texts],
    env: envOf(login, { ...address, database: login.databaseName }),
    files: secretFile(login.databasePassword),
  })

export const postgresInventory: ServerInventory<Login> = {
  dumped: [],
  list: programOf(printScript, list),
  give: programOf(printScript, give),
  take: programOf(takeScript),
}
