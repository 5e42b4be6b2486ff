/**
 * The programs of MySQL and MariaDB: the health check, the login test and the change of credentials. Programs get a
 * caller's text from the environment or as hexadecimal digits on standard input. The text of each program is fixed.
 */
import { textFile } from '../../lib/text-file.ts'
import { healthCheck } from '../health.ts'
import type { Exec } from '../../engine/exec.ts'
import type { Address, OwnAccount, ServerLogin } from '../kind.ts'
import { type RotationDialect, rotationTexts } from './rotation.ts'
import { sqlFile } from './sql.ts'

/** The settings of both kinds. */
export interface Credentials {
  databaseName: string
  databaseUser: string
  databasePassword: string
  databaseRootPassword: string
}

/** The differences between the programs of the two products. */
export interface Dialect extends ClientDialect {
  rotation: RotationDialect
}

export interface ClientDialect {
  /** Shell commands that print the path of the client. */
  findClient: string
  /** Options of the client in addition to the shared ones. */
  options: string
}

export const port = 3306

export const health = healthCheck(textFile('kinds/mysql/programs/answers.sh').trimEnd())

/** Returns shell text that defines `log_in`, which runs the product's client. */
export const client = ({ findClient, options }: ClientDialect) =>
  textFile('kinds/mysql/programs/client.sh', { findClient, options })

/** The account with all rights, and its password. */
export const adminOf = ({ own, settings }: ServerLogin<Credentials>): OwnAccount =>
  own ?? { user: 'root', password: settings.databaseRootPassword }

/** Sets MYSQL_TEST_LOGIN_FILE, because MySQL's client reads a login file even with --no-defaults. */
export const envOf = (password: string, { host, port }: Address) => ({
  BERTH_HOST: host,
  BERTH_PORT: String(port),
  MYSQL_PWD: password,
  MYSQL_TEST_LOGIN_FILE: '/dev/null',
})

/** Returns the function `Kind.ready` of a product. */
export function readyWith(dialect: Dialect) {
  const script = client(dialect) + textFile('kinds/mysql/programs/ready.sh')
  const argv = ['sh', '-c', script, 'berth', sqlFile('kinds/mysql/programs/paths.sql')]
  return (credentials: Credentials, address: Address): Exec => ({
    argv: [...argv],
    env: {
      ...envOf(credentials.databasePassword, address),
      BERTH_USER: credentials.databaseUser,
      BERTH_DATABASE: credentials.databaseName,
      BERTH_ROOT_PASSWORD: credentials.databaseRootPassword,
    },
  })
}

/** Returns the function `Kind.rotate` of a product. */
export function rotateWith(dialect: Dialect) {
  const script = client(dialect) + textFile('kinds/mysql/programs/rotate.sh')
  const argv = ['sh', '-c', script, 'berth', ...rotationTexts(dialect.rotation)]
  return (from: Credentials, to: Credentials, address: Address, own: OwnAccount | null): Exec => {
    const admin = adminOf({ settings: from, own })
    const next = { BERTH_ADMIN: admin.user, BERTH_NEW_ROOT_PASSWORD: to.databaseRootPassword }
    return { argv: [...argv], env: { ...envOf(admin.password, address), ...next }, stdin: rotationInput(from, to) }
  }
}

/** Returns SQL that sets the old and new credentials as session variables. */
const rotationInput = (from: Credentials, to: Credentials): string =>
  variables({
    old_database: from.databaseName,
    old_user: from.databaseUser,
    old_password: from.databasePassword,
    old_root_password: from.databaseRootPassword,
    database: to.databaseName,
    user: to.databaseUser,
    password: to.databasePassword,
    root_password: to.databaseRootPassword,
  })

/** Returns SQL that sets session variables. The last line marks the end of the input. */
export function variables(texts: Record<string, string>): string {
  const lines = Object.entries(texts).map(([name, text]) => `set @${name} = convert(x'${hex(text)}' using utf8mb4);`)
  return [...lines, '-- complete'].join('\n')
}

const hex = (text: string) => Buffer.from(text).toString('hex')
