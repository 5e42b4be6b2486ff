/**
 * What a server of MySQL or MariaDB holds beside its databases' contents, listed in full: accounts, all that they may,
 * and what was set on it. None of it can be made again by statements that both products share, so nothing is given.
 */
import { textFile } from '../../lib/text-file.ts'
import { type Beside, type Program, secretFile, secretPath } from '../backup.ts'
import type { Address } from '../kind.ts'
import { type ClientDialect, type Credentials, client } from './programs.ts'

/** In what the two products' lists differ. */
export interface BesideDialect extends ClientDialect {
  /** The queries; each line that they print is a text. */
  list: string
}

export function mysqlBeside(it: BesideDialect): Beside<Credentials & Record<string, unknown>> {
  const script = client(it) + textFile('kinds/mysql/programs/list.sh', { secretPath })
  const argv = ['sh', '-c', script, 'berth', it.list]
  return {
    dumped: [
      'database',
      'properties of a database',
      'grant in a database',
      'grant on a table',
      'grant on a column',
      'grant on a routine',
    ],
    list: ({ databaseUser, databaseRootPassword }, { host, port }: Address): Program => ({
      argv,
      env: { BERTH_HOST: host, BERTH_PORT: String(port), BERTH_USER: databaseUser, MYSQL_TEST_LOGIN_FILE: '/dev/null' },
      files: secretFile(databaseRootPassword),
    }),
  }
}
