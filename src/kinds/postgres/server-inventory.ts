/**
 * The inventory of a PostgreSQL server beyond the contents of its databases. Roles, databases, grants and settings can
 * be recreated from it.
 */
import { textFile } from '../../lib/text-file.ts'
import { type ServerInventory, type Program, secretFile, secretPath } from '../backup.ts'
import type { Address } from '../kind.ts'
import { envOf, type Login, roleOf, type Settings } from './login.ts'

const listServer = textFile('kinds/postgres/programs/list-server.sql')
const listOwn = textFile('kinds/postgres/programs/list-own.sql')
/**
 * Lists the server's entries, then the objects that users created in `postgres` and `template1`, which have no dump.
 */
const list = [
  listServer,
  'SELECT current_database() AS "BERTH_OWN"',
  String.raw`\gset`,
  String.raw`\connect postgres`,
  listOwn,
  String.raw`\connect template1`,
  listOwn,
].join('\n')
const exportSql = textFile('kinds/postgres/programs/export.sql')
const queryScript = textFile('kinds/postgres/programs/query.sh', { secretPath })
const importScript = textFile('kinds/postgres/programs/import.sh', { secretPath })

const programOf =
  (script: string, ...texts: string[]) =>
  (login: Login, address: Address): Program => ({
    argv: ['sh', '-c', script, 'berth', ...texts],
    env: { ...envOf(login, { ...address, database: login.settings.databaseName }), BERTH_OWN: login.own?.user ?? '' },
    files: secretFile(roleOf(login).password),
  })

export const postgresInventory: ServerInventory<Settings> = {
  dumped: [],
  list: programOf(queryScript, list),
  exportEntries: programOf(queryScript, exportSql),
  importEntries: programOf(importScript),
}
