/**
 * The programs of MySQL and MariaDB: how one sees that a server runs, logs in, and changes its credentials. A caller's
 * texts travel by environment, or as hexadecimal digits on standard input; each program's own text is fixed.
 */
import { textFile } from '../../lib/text-file.ts'
import { healthCheck } from '../health.ts'
import type { Exec } from '../../engine/exec.ts'
import type { Address } from '../kind.ts'
import { type RotationDialect, rotationTexts } from './rotation.ts'

/** The settings of both kinds. */
export interface Credentials {
  databaseName: string
  databaseUser: string
  databasePassword: string
  databaseRootPassword: string
}

/** In what the two products differ. */
export interface Dialect extends ClientDialect {
  rotation: RotationDialect
}

export interface ClientDialect {
  /** The shell's words that give the client's path. */
  findClient: string
  /** Options of the client beyond those that both have. */
  options: string
}

export const port = 3306

export const health = healthCheck(textFile('kinds/mysql/programs/answers.sh').trimEnd())

/** Defines `log_in` for the scripts of a product. */
export const client = ({ findClient, options }: ClientDialect) =>
  textFile('kinds/mysql/programs/client.sh', { findClient, options })

/** MYSQL_TEST_LOGIN_FILE: where MySQL's client would find log-ins even without option files. */
const envOf = (password: string, { host, port }: Address) => ({
  BERTH_HOST: host,
  BERTH_PORT: String(port),
  MYSQL_PWD: password,
  MYSQL_TEST_LOGIN_FILE: '/dev/null',
})

export function readyWith(dialect: Dialect) {
  const script = client(dialect) + textFile('kinds/mysql/programs/ready.sh')
  const argv = ['sh', '-c', script]
  return (it: Credentials, address: Address): Exec => ({
    argv: [...argv],
    env: {
      ...envOf(it.databasePassword, address),
      BERTH_USER: it.databaseUser,
      BERTH_DATABASE: it.databaseName,
      BERTH_ROOT_PASSWORD: it.databaseRootPassword,
    },
  })
}

export function rotateWith(dialect: Dialect) {
  const script = client(dialect) + textFile('kinds/mysql/programs/rotate.sh')
  const argv = ['sh', '-c', script, 'berth', ...rotationTexts(dialect.rotation)]
  return (from: Credentials, to: Credentials, address: Address): Exec => ({
    argv: [...argv],
    env: { ...envOf(from.databaseRootPassword, address), BERTH_NEW_ROOT_PASSWORD: to.databaseRootPassword },
    stdin: wantedOf(from, to),
  })
}

function wantedOf(from: Credentials, to: Credentials): string {
  const texts = {
    old_database: from.databaseName,
    old_user: from.databaseUser,
    old_password: from.databasePassword,
    old_root_password: from.databaseRootPassword,
    database: to.databaseName,
    user: to.databaseUser,
    password: to.databasePassword,
    root_password: to.databaseRootPassword,
  }
  const lines = Object.entries(texts).map(([name, text]) => `set @${name} = convert(x'${hex(text)}' using utf8mb4);`)
  return [...lines, '-- whole'].join('\n')
}

const hex = (text: string) => Buffer.from(text).toString('hex')
