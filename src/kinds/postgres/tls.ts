/**
 * How PostgreSQL uses a certificate. Its arguments turn TLS on. A block at the top of pg_hba.conf refuses connections
 * without TLS, because PostgreSQL has no setting for this. Source: postgresql.org/docs/current/ssl-tcp.html.
 */
import { textFile } from '../../lib/text-file.ts'
import type { Exec } from '../../engine/exec.ts'
import { type Address, type KindTls, type TlsMode, tlsPaths } from '../kind.ts'
import { encodedParameter } from '../url.ts'
import { type Login, ownLoginEnv, psql } from './login.ts'

/** Returns the server's arguments. The last value of an option counts, so Berth's options follow those of the caller. */
export function argsWithTls(args: string[], tls: TlsMode): string[] {
  if (tls === 'off') return args
  const options = ['ssl=on', `ssl_cert_file=${tlsPaths.certificate}`, `ssl_key_file=${tlsPaths.key}`]
  return [...args, ...options.flatMap((option) => ['-c', option])]
}

const reloadScript = textFile('kinds/postgres/programs/reload.sh')
const applyModeScript = textFile('kinds/postgres/programs/apply-mode.sh')
const endPlainSql = textFile('kinds/postgres/programs/end-plain.sql')
const plainSql = textFile('kinds/postgres/programs/plain-connections.sql')

const query = (login: Login, address: Address, sql: string): Exec => ({
  argv: [...psql, '-c', sql],
  env: ownLoginEnv(login, address),
})

/** @param url a connection URL without parameters */
function verified(url: string, caPath: string): string {
  return `${url}?sslmode=verify-full&sslrootcert=${encodedParameter(caPath)}`
}

/** @param url returns the connection URL of the kind */
export const postgresTls = <S extends Login>(url: (settings: S, address: Address) => string): KindTls<S> => ({
  user: 'postgres',
  port: () => 5432,
  handshake: 'postgres',
  /** Before version 10, PostgreSQL read the files only when it started. */
  canReload: (version) => version === null || Number.parseInt(version, 10) >= 10,
  reload: () => ({ argv: ['sh', '-c', reloadScript], env: {} }),
  applyMode: (login, address, mode) => ({
    argv: ['sh', '-c', applyModeScript, 'berth', mode === 'require' ? 'require' : 'allow', endPlainSql],
    // Without `require` there is no login: the server may still have other credentials than these.
    env: mode === 'require' ? ownLoginEnv(login, address) : {},
  }),
  plainConnections: (login, address) => query(login, address, plainSql),
  verifiedUrl: (settings, address, caPath) => verified(url(settings, address), caPath),
})
