/** The psql command that runs in the container of a server, and the environment with which it logs in over the network. */
import type { Address } from '../kind.ts'
import { type Login, roleOf, sessionOptions } from './login.ts'

/**
 * The psql command. It unsets variables of the image that can name another server. With `-X` psql reads no psqlrc, and
 * with `-w` it never prompts for a password.
 */
export const psql = [
  'env',
  '-u',
  'PGSERVICE',
  '-u',
  'PGHOSTADDR',
  '-u',
  'PGCLIENTENCODING',
  'psql',
  '-X',
  '-q',
  '-A',
  '-t',
  '-w',
]

/** Source: postgresql.org/docs/current/libpq-envars.html. The search path excludes functions that users created. */
export function loginEnv(login: Login, address: Address): Record<string, string> {
  const { user, password } = roleOf(login)
  return {
    PGHOST: address.host,
    PGPORT: String(address.port),
    PGUSER: user,
    PGDATABASE: login.settings.databaseName,
    PGPASSWORD: password,
    PGPASSFILE: '/dev/null',
    PGSSLMODE: 'prefer',
    PGCONNECT_TIMEOUT: '3',
    PGAPPNAME: 'berth',
    PGOPTIONS: sessionOptions,
  }
}
