/**
 * How MySQL and MariaDB use a certificate. Arguments of the server name the files and refuse connections without TLS.
 * Sources: dev.mysql.com/doc/refman/8.4/en/using-encrypted-connections.html, mariadb.com/kb/en/ssltls-system-variables.
 */
import { textFile } from '../../lib/text-file.ts'
import type { Exec } from '../../engine/exec.ts'
import { type Address, type KindTls, type Launch, type TlsMode, tlsPaths } from '../kind.ts'
import { encodedParameter } from '../url.ts'
import { url } from './dialect.ts'
import { type ClientDialect, client, type Credentials, envOf, port } from './programs.ts'

/**
 * Returns the server's arguments. The last value of an option counts, so those that Berth needs follow those of the
 * caller. The authority precedes them: a caller can name another one, with which the server verifies its clients. MySQL
 * since 9 replaces a certificate only if it knows the authority.
 */
export function argsWithTls(args: string[], tls: TlsMode): string[] {
  if (tls === 'off') return args
  const program = args.length > 0 && !args[0]!.startsWith('-') ? args.slice(0, 1) : []
  return [
    ...program,
    `--ssl-ca=${tlsPaths.ca}`,
    ...args.slice(program.length),
    `--ssl-cert=${tlsPaths.certificate}`,
    `--ssl-key=${tlsPaths.key}`,
    ...(tls === 'require' ? ['--require-secure-transport=ON'] : []),
  ]
}

export const launch = (_: Credentials, args: string[], _memoryMiB: number | null, tls: TlsMode = 'off'): Launch => ({
  args: argsWithTls(args, tls),
  files: [],
})

const querySh = textFile('kinds/mysql/programs/query-root.sh')

/** The differences between the two products. */
export interface TlsDialect extends ClientDialect {
  /** The statement with which the server reads its files again. It fails if the server cannot use them. */
  reload: string
  /** A query for the number of clients without TLS. Absent if the server does not know. */
  plainConnections?: string
  canReload(version: string | null): boolean
}

export function mysqlTls(dialect: TlsDialect): KindTls<Credentials> {
  const script = client(dialect) + querySh
  const argv = ['sh', '-c', script, 'berth']
  const { reload, plainConnections, canReload } = dialect
  const query = (sql: string, { databaseRootPassword }: Credentials, address: Address): Exec => ({
    argv: [...argv, sql],
    env: envOf(databaseRootPassword, address),
  })
  return {
    user: 'mysql',
    port: () => port,
    handshake: 'mysql',
    canReload,
    // The login does not leave the container, and the certificate to replace may have expired.
    reload: (settings, address) => query(reload, settings, { host: address.host, port: address.port }),
    ...(plainConnections === undefined
      ? {}
      : { plainConnections: (settings, address) => query(plainConnections, settings, address) }),
    verifiedUrl: (settings, address, caPath) =>
      `${url(settings, address)}?ssl-mode=VERIFY_IDENTITY&ssl-ca=${encodedParameter(caPath)}`,
  }
}
