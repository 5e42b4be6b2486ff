/**
 * PostgreSQL: the limits of its settings, how its image is configured, how Berth logs in, and how credentials are
 * changed on a running server. A caller's texts reach psql through the environment only, and SQL through psql's own
 * quoting.
 */
import { z } from 'zod'
import { textFile } from '../../lib/text-file.ts'
import { isSameVersion } from '../../lib/text/version.ts'
import { healthCheck } from '../health.ts'
import type { Exec } from '../../engine/exec.ts'
import { type Address, kind } from '../kind.ts'
import { printable } from '../printable.ts'
import { authorityOf, encoded, encodedPath } from '../url.ts'
import { postgresBackup } from './backup.ts'

/** Source: postgresql.org/docs/current/sql-syntax-lexical.html, 4.1.1. PostgreSQL truncates longer names. */
const Identifier = printable(z.string().min(1, 'must not be empty')).refine(
  (it) => Buffer.byteLength(it) <= 63,
  'must have at most 63 bytes in UTF-8: choose a shorter name',
)

const DatabaseName = Identifier.refine(
  (it) => it !== 'template0' && it !== 'template1',
  'must not be a template of PostgreSQL, which new databases are copied from: choose another name',
)

/**
 * initdb creates this user as the owner of everything. Sources: src/backend/commands/user.c and utils/adt/acl.c
 * (reserved names), commands/extension.c (characters that the owner of an extension cannot contain; initdb fails).
 */
const DatabaseUser = Identifier.refine(
  (it) => !it.startsWith('pg_'),
  'must not start with pg_, which is reserved: choose another name',
)
  .refine((it) => it !== 'public' && it !== 'none', 'must not be public or none, which are reserved: choose another')
  .refine(
    (it) => !/["$'\\]|--|\/\*|\*\//.test(it),
    'must not contain " $ \' \\ -- /* or */, which PostgreSQL refuses in the owner of a database: leave them out',
  )

/** PostgreSQL stores a password of this form as a hash. Source: get_password_type in src/backend/libpq/crypt.c. */
const hashLike = /^(?:md5[0-9a-f]{32}$|SCRAM-SHA-256\$)/
const DatabasePassword = printable(z.string().max(255, 'must have at most 255 characters')).refine(
  (it) => !hashLike.test(it),
  'must not look like a hash of PostgreSQL (md5..., SCRAM-SHA-256$...): choose another',
)

const settings = z.object({
  databaseName: DatabaseName,
  databaseUser: DatabaseUser,
  databasePassword: DatabasePassword,
})
type Settings = z.output<typeof settings>

const dataStays = 'leave it out, for the data must stay on the volume'

const port = 5432
const dataPath = '/var/lib/postgresql/data'

/**
 * Returns the major version that a tag names: 15, 15.4-alpine, 18rc1, or pg16 in the tags of images that extend
 * PostgreSQL and begin with their own version. Every 9.x is 9. Their data formats differ, but the server itself refuses
 * the files of another 9.x.
 */
function versionOf(tag: string | null): string | null {
  const named = /(?:^|[-_.])pg(\d{1,2})(?!\d)/.exec(tag ?? '') ?? /^(\d{1,2})(?!\d)/.exec(tag ?? '')
  const version = named?.[1] ?? ''
  return Number(version) >= 9 ? version : null
}

/**
 * Encodes the database name so that node-postgres (which does not decode reserved characters of a path) and libpq read
 * the same name. For `?` and `#` no such form exists: they are encoded for RFC 3986 and libpq.
 */
function url({ databaseUser, databasePassword, databaseName }: Settings, address: Address): string {
  const login = `${encoded(databaseUser)}:${encoded(databasePassword)}`
  return `postgresql://${login}@${authorityOf(address)}/${encodedPath(databaseName)}`
}

/**
 * Unsets variables of the image that would lead to another server. `-X` reads no psqlrc, `-w` never prompts for a
 * password.
 */
const psql = [
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

/** Source: postgresql.org/docs/current/libpq-envars.html. The search path keeps psql from calling objects of users. */
function loginEnv(credentials: Settings, address: Address): Record<string, string> {
  return {
    PGHOST: address.host,
    PGPORT: String(address.port),
    PGUSER: credentials.databaseUser,
    PGDATABASE: credentials.databaseName,
    PGPASSWORD: credentials.databasePassword,
    PGPASSFILE: '/dev/null',
    PGSSLMODE: 'prefer',
    PGCONNECT_TIMEOUT: '3',
    PGAPPNAME: 'berth',
    PGOPTIONS: '-c search_path=pg_catalog -c client_min_messages=warning -c default_transaction_read_only=off',
  }
}

const majorVersion = "select current_setting('server_version_num')::int / 10000"

const rotation = textFile('kinds/postgres/programs/rotate.sql')

function rotate(from: Settings, to: Settings, address: Address): Exec {
  const wanted = { BERTH_USER: to.databaseUser, BERTH_PASSWORD: to.databasePassword, BERTH_DATABASE: to.databaseName }
  return { argv: psql, env: { ...loginEnv(from, address), ...wanted }, stdin: rotation }
}

export const postgres = kind({
  name: 'postgres',
  label: 'PostgreSQL',
  idField: 'postgresId',
  defaultImage: 'postgres:15',
  port,
  isAppNameOptional: true,
  settings,
  secrets: ['databasePassword'],
  reserved: {
    POSTGRES_USER: 'use databaseUser',
    POSTGRES_USER_FILE: 'use databaseUser',
    POSTGRES_PASSWORD: 'use databasePassword',
    POSTGRES_PASSWORD_FILE: 'use databasePassword',
    POSTGRES_DB: 'use databaseName',
    POSTGRES_DB_FILE: 'use databaseName',
    PGDATA: dataStays,
    POSTGRES_INITDB_WALDIR: dataStays,
    PGPORT: 'use externalPort for the port outside; inside the network it is always 5432',
    POSTGRES_HOST_AUTH_METHOD:
      'clients log in with databasePassword; for older clients use the command ' + '-c password_encryption=md5',
  },
  versionOf,
  imageVersion: {
    variables: ['PG_MAJOR', 'PG_VERSION'],
    argv: ['postgres', '--version'],
    printed: /\(PostgreSQL\) (\S+)/,
  },
  opens: isSameVersion,
  /**
   * From 18 on the official images declare their volume one level up (docker-library/postgres#1259). PGDATA is always
   * set, to the same path for all versions. If the version is unknown, PGDATA itself is the mount: an older image would
   * hide a mount one level up behind its own anonymous volume, which is lost with the container.
   */
  dataPath: (version) => (version !== null && Number(version) >= 18 ? '/var/lib/postgresql' : dataPath),
  env: (it) => ({
    POSTGRES_USER: it.databaseUser,
    POSTGRES_PASSWORD: it.databasePassword,
    POSTGRES_DB: it.databaseName,
    PGDATA: dataPath,
  }),
  url,
  health: healthCheck(textFile('kinds/postgres/programs/answers.sh')),
  ready: (it, address) => ({ argv: [...psql, '-c', majorVersion], env: loginEnv(it, address) }),
  rotate,
  backup: postgresBackup,
  manualBackup: 'manualBackupPostgres',
})
