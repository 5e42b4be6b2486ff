/**
 * PostgreSQL: the limits of its settings, how its image is configured, how Berth logs in, and how credentials are
 * changed on a running server. psql gets a caller's text from the environment only, and quotes the text itself in SQL.
 */
import { z } from 'zod'
import { textFile } from '../../lib/text-file.ts'
import { isSameVersion } from '../../lib/text/version.ts'
import { healthCheck } from '../health.ts'
import type { Exec } from '../../engine/exec.ts'
import { type Address, isNotOwnName, kind, type OwnAccount, settingTexts } from '../kind.ts'
import { printable } from '../printable.ts'
import { postgresSeries } from '../series-ends.ts'
import { authorityOf, encoded, encodedPath } from '../url.ts'
import { postgresBackup } from './backup.ts'
import { ownAccounts } from './own-accounts.ts'
import { loginEnv, psql } from './psql.ts'

/** Source: postgresql.org/docs/current/sql-syntax-lexical.html, 4.1.1. PostgreSQL truncates longer names. */
const Identifier = printable(z.string().min(1, 'must not be empty')).refine(
  (it) => Buffer.byteLength(it) <= 63,
  'must have at most 63 bytes in UTF-8: choose a shorter name',
)

const DatabaseName = Identifier.refine(
  (it) => it !== 'template0' && it !== 'template1',
  'must not be template0 or template1, because PostgreSQL copies new databases from them: choose another name',
)

/**
 * initdb creates this user as the owner of all objects. Sources: src/backend/commands/user.c and utils/adt/acl.c
 * (reserved names), commands/extension.c (characters that the owner of an extension cannot contain: initdb fails).
 */
const DatabaseUser = Identifier.refine(
  (it) => !it.startsWith('pg_'),
  'must not start with pg_, which is reserved: choose another name',
)
  .refine(...isNotOwnName)
  .refine(
    (it) => it !== 'public' && it !== 'none',
    'must not be public or none, which are reserved: choose another name',
  )
  .refine(
    (it) => !/["$'\\]|--|\/\*|\*\//.test(it),
    'must not contain " $ \' \\ -- /* or */, because PostgreSQL refuses them in the owner of a database: remove them',
  )

/** PostgreSQL takes a password of this form for a hash. Source: get_password_type in src/backend/libpq/crypt.c. */
const hashLike = /^(?:md5[0-9a-f]{32}$|SCRAM-SHA-256\$)/
const DatabasePassword = printable(z.string().max(255, 'must have at most 255 characters')).refine(
  (it) => !hashLike.test(it),
  'must not have the form of a PostgreSQL password hash (md5..., SCRAM-SHA-256$...): choose another password',
)

const settings = z.object({
  databaseName: DatabaseName.describe(settingTexts.databaseName),
  databaseUser: DatabaseUser.describe(settingTexts.databaseUser('Superuser with which clients log in')),
  databasePassword: DatabasePassword.describe(settingTexts.password('databaseUser')),
})
type Settings = z.output<typeof settings>

const dataStays = 'remove it, because the data must stay on the volume'

const port = 5432
const dataPath = '/var/lib/postgresql/data'

/**
 * Returns the major version that a tag names: 15, 15.4-alpine, 18rc1. Tags of images that extend PostgreSQL can begin
 * with their own version and name PostgreSQL's version as pg16. Every 9.x is 9. The data formats of 9.x differ, but the
 * server itself refuses the files of another 9.x.
 */
function versionOf(tag: string | null): string | null {
  const named = /(?:^|[-_.])pg(\d{1,2})(?!\d)/.exec(tag ?? '') ?? /^(\d{1,2})(?!\d)/.exec(tag ?? '')
  const version = named?.[1] ?? ''
  return Number(version) >= 9 ? version : null
}

/**
 * Encodes the database name in a form that node-postgres and libpq decode to the same name. node-postgres does not
 * decode reserved characters of a path. `?` and `#` have no such form, so they are encoded as libpq and RFC 3986 need.
 */
function url({ databaseUser, databasePassword, databaseName }: Settings, address: Address): string {
  const login = `${encoded(databaseUser)}:${encoded(databasePassword)}`
  return `postgresql://${login}@${authorityOf(address)}/${encodedPath(databaseName)}`
}

const majorVersion = "select current_setting('server_version_num')::int / 10000"
const paths = textFile('kinds/postgres/programs/paths.sql', { dataPath })

const rotation = textFile('kinds/postgres/programs/rotate.sql')

function rotate(from: Settings, to: Settings, address: Address, own: OwnAccount | null): Exec {
  const next = { BERTH_USER: to.databaseUser, BERTH_PASSWORD: to.databasePassword, BERTH_DATABASE: to.databaseName }
  const env = { ...loginEnv({ settings: from, own }, address), BERTH_OLD_USER: from.databaseUser, ...next }
  return { argv: psql, env, stdin: rotation }
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
  serverPrograms: ['postgres'],
  logFaults: [
    /(?:FATAL|PANIC): +(.*(?:unrecognized configuration parameter|invalid value for parameter).*)/,
    /\bpostgres: ((?:unrecognized|invalid) option.*)/,
    // The server also logs as FATAL why it refused a client.
    /(?:FATAL|PANIC): +(?! |the database system is|terminating |password authentication|role "|database "|no pg_hba|sorry)(.+)/,
    /initdb: error: (.+)/,
  ],
  reserved: {
    POSTGRES_USER: 'use databaseUser',
    POSTGRES_USER_FILE: 'use databaseUser',
    POSTGRES_PASSWORD: 'use databasePassword',
    POSTGRES_PASSWORD_FILE: 'use databasePassword',
    POSTGRES_DB: 'use databaseName',
    POSTGRES_DB_FILE: 'use databaseName',
    PGDATA: dataStays,
    POSTGRES_INITDB_WALDIR: dataStays,
    PGPORT: 'use externalPort to publish a port. Inside the network the port is always 5432',
    POSTGRES_HOST_AUTH_METHOD:
      'remove it, because clients log in with databasePassword. For older clients use the command ' +
      '-c password_encryption=md5',
  },
  versionOf,
  imageVersion: {
    variables: ['PG_MAJOR', 'PG_VERSION'],
    argv: ['postgres', '--version'],
    printed: /\(PostgreSQL\) (\S+)/,
  },
  seriesEnds: postgresSeries,
  opens: isSameVersion,
  /**
   * Since version 18 the official images declare their volume one level higher (docker-library/postgres#1259). PGDATA
   * is always set to the same path. If the version is unknown, the volume is mounted at PGDATA. An older image mounts
   * an anonymous volume at PGDATA, which would hide a mount one level higher. That volume is lost with the container.
   */
  dataPath: (version) => (version !== null && Number(version) >= 18 ? '/var/lib/postgresql' : dataPath),
  dataFiles: { folder: dataPath, names: ['PG_VERSION'] },
  env: (it) => ({
    POSTGRES_USER: it.databaseUser,
    POSTGRES_PASSWORD: it.databasePassword,
    POSTGRES_DB: it.databaseName,
    PGDATA: dataPath,
  }),
  url,
  health: healthCheck(textFile('kinds/postgres/programs/answers.sh')),
  initializesOnce: true,
  ready: (it, address) => ({
    argv: [...psql, '-c', majorVersion, '-c', paths],
    env: loginEnv({ settings: it, own: null }, address),
  }),
  rotate,
  ownAccounts,
  backup: postgresBackup,
  manualBackup: 'manualBackupPostgres',
})
