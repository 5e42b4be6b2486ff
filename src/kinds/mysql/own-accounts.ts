/** The programs that make Berth's own account on a MySQL or MariaDB server, with all privileges. */
import { textFile } from '../../lib/text-file.ts'
import type { Address, OwnAccount, OwnAccounts } from '../kind.ts'
import { client, type ClientDialect, type Credentials, envOf, variables } from './programs.ts'
import { sqlFile } from './sql.ts'

/** The differences between the two products. */
export interface OwnAccountDialect extends ClientDialect {
  /** Statements at the start of the session, after the shared statements. */
  session: string
  /** Statements that make the account. */
  createAccount: string
}

export function ownAccountsWith(dialect: OwnAccountDialect): OwnAccounts<Credentials> {
  const script = client(dialect) + textFile('kinds/mysql/programs/own-account.sh')
  const session = sqlFile('kinds/mysql/programs/rotate-session.sql') + dialect.session
  const checkScript = client(dialect) + textFile('kinds/mysql/programs/own-check.sh')
  const create = (own: OwnAccount, credentials: Credentials, address: Address, isInside: '1' | '') => ({
    argv: ['sh', '-c', script, 'berth', session, dialect.createAccount],
    env: {
      ...envOf(credentials.databasePassword, address),
      BERTH_USER: credentials.databaseUser,
      BERTH_ROOT_PASSWORD: credentials.databaseRootPassword,
      BERTH_IS_INSIDE: isInside,
    },
    stdin: accountOf(own),
  })
  const statements = (own: OwnAccount) => [session, accountOf(own), dialect.createAccount].map(oneALine).join('')
  return {
    check: (own, _, address) => ({
      argv: ['sh', '-c', checkScript],
      env: { ...envOf(own.password, address), BERTH_USER: own.user },
    }),
    create: (own, credentials, address) => create(own, credentials, address, ''),
    createInside: (own, credentials, address) => create(own, credentials, address, '1'),
    maintenanceStart: (own, _, { command, args }) => ({
      command,
      args: [...args, `--init-file=${initPath}`],
      files: [{ path: initPath, content: statements(own), isSecret: true }],
    }),
  }
}

/** The statements that the server runs in its maintenance mode, with all rights and before it accepts clients. */
const initPath = '/run/berth/own-account.sql'

const accountOf = (own: OwnAccount) => variables({ own: own.user, own_password: own.password })

/** The statements without comments, each on a line: servers run every line of such a file by itself. */
const oneALine = (sql: string) =>
  sql
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('--'))
    .map((line) => (line.endsWith(';') ? `${line}\n` : `${line} `))
    .join('')
