/** What a PostgreSQL server holds beside its databases' contents: all of it listed, roles and databases made again. */
import { textFile } from '../../lib/text-file.ts'
import { type Beside, type Program, secretFile, secretPath } from '../backup.ts'
import type { Address } from '../kind.ts'
import { envOf, type Login } from './login.ts'

const listServer = textFile('kinds/postgres/programs/list-server.sql')
const listOwn = textFile('kinds/postgres/programs/list-own.sql')
/** The server, and then the databases that are the server's own, in which nobody should have put anything. */
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
  (it: Login, address: Address): Program => ({
    argv: ['sh', '-c', script, 'berth', ...texts],
    env: envOf(it, { ...address, database: it.databaseName }),
    files: secretFile(it.databasePassword),
  })

export const postgresBeside: Beside<Login> = {
  dumped: [],
  list: programOf(printScript, list),
  give: programOf(printScript, give),
  take: programOf(takeScript),
}
