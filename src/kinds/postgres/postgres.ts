/**
 * PostgreSQL: what it takes, how its image is set up, how one logs in, and how its credentials are changed while it
 * runs. A caller's texts reach psql by its environment only, and SQL by psql's own quoting.
 */
import { z } from 'zod'
import { isSameVersion } from '../../lib/version.ts'
import { healthCheck } from '../health.ts'
import { type Address, type Exec, kind } from '../kind.ts'
import { postgresBackup } from './backup.ts'
import { printable } from '../printable.ts'
import { authorityOf, encoded, encodedPath } from '../url.ts'

/** Source: postgresql.org/docs/current/sql-syntax-lexical.html, 4.1.1: longer names are cut, not refused. */
const Identifier = printable(z.string().min(1, 'must not be empty')).refine(
  (it) => Buffer.byteLength(it) <= 63,
  'must have at most 63 bytes in UTF-8: choose a shorter name',
)

const DatabaseName = Identifier.refine(
  (it) => it !== 'template0' && it !== 'template1',
  'must not be a template of PostgreSQL, which new databases are copied from: choose another name',
)

/**
 * The user is made by initdb and owns everything. Sources: src/backend/commands/user.c and utils/adt/acl.c (reserved
 * names), commands/extension.c (what the owner of an extension must not contain: with it, initdb fails).
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

/** Such a text is stored as the hash that it looks like. Source: get_password_type in src/backend/libpq/crypt.c. */
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

const kept = 'leave it out, for the data must stay on the volume'

const port = 5432
const dataPath = '/var/lib/postgresql/data'

/**
 * The major version that a tag names: 15, 15.4-alpine, 18rc1, and pg16 in the tags of images that add to PostgreSQL
 * and begin with their own version. Every 9.x is 9: their data differs too, and the server itself refuses another's.
 */
function versionOf(tag: string | null): string | null {
  const named = /(?:^|[-_.])pg(\d{1,2})(?!\d)/.exec(tag ?? '') ?? /^(\d{1,2})(?!\d)/.exec(tag ?? '')
  const version = named?.[1] ?? ''
  return Number(version) >= 9 ? version : null
}

/**
 * What pg (which does not decode reserved characters of a path) and libpq both take for the same name. There is no
 * such form for ? and #: those are as RFC 3986 and libpq have them.
 */
function url({ databaseUser, databasePassword, databaseName }: Settings, address: Address): string {
  const login = `${encoded(databaseUser)}:${encoded(databasePassword)}`
  return `postgresql://${login}@${authorityOf(address)}/${encodedPath(databaseName)}`
}

/**
 * Over TCP, for a server that still runs its set-up answers on its socket only. The user is named only so that the
 * server does not log an unknown one.
 */
const answers = `
unset PGSERVICE PGHOSTADDR
answers() {
  PGUSER="\${POSTGRES_USER:-postgres}" PGDATABASE=postgres pg_isready -q -h 127.0.0.1 -p 5432 -t "$1"
}
`

/** Without what an image may have set, which would lead elsewhere; -X: nor a psqlrc; -w: never asks. */
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

/** Source: postgresql.org/docs/current/libpq-envars.html. A search path of its own: no object of a user's is called. */
function login(it: Settings, address: Address): Record<string, string> {
  return {
    PGHOST: address.host,
    PGPORT: String(address.port),
    PGUSER: it.databaseUser,
    PGDATABASE: it.databaseName,
    PGPASSWORD: it.databasePassword,
    PGPASSFILE: '/dev/null',
    PGSSLMODE: 'prefer',
    PGCONNECT_TIMEOUT: '3',
    PGAPPNAME: 'berth',
    PGOPTIONS: '-c search_path=pg_catalog -c client_min_messages=warning -c default_transaction_read_only=off',
  }
}

const majorVersion = "select current_setting('server_version_num')::int / 10000"

/**
 * Everything but CREATE DATABASE, which cannot be, is one transaction: until its end the old credentials hold, and
 * from then on the new ones. `session_user` is the old user. The new one gets its attributes, and by membership in it
 * its rights, memberships and objects; on the way back the memberships that would make a circle are revoked first.
 * Backquotes and not \getenv, which psql has from 14 on only.
 */
const rotation = String.raw`
\set ON_ERROR_STOP on
\set VERBOSITY terse
\set user ${'`'}printf %s "$BERTH_USER"${'`'}
\set password ${'`'}printf %s "$BERTH_PASSWORD"${'`'}
\set database ${'`'}printf %s "$BERTH_DATABASE"${'`'}

SET ROLE NONE;

-- Names are compared as bytes when one logs in: they must be stored as they come.
SELECT set_config('client_encoding', current_setting('server_encoding'), false) AS encoding
\gset

SELECT rolsuper AS is_superuser FROM pg_roles WHERE rolname = session_user
\gset
\if :is_superuser

-- The password must reach no log, no statistics and no list of activities.
SELECT count(set_config(name, value, false)) AS quiet
  FROM (VALUES ('log_statement', 'none'), ('log_min_duration_statement', '-1'), ('log_min_duration_sample', '-1'),
    ('log_transaction_sample_rate', '0'), ('log_min_error_statement', 'panic'), ('track_activities', 'off'),
    ('pg_stat_statements.track', 'none'), ('pgaudit.log', 'none')) AS wanted (name, value)
  JOIN pg_settings USING (name)
\gset

-- Where the old password was kept as SCRAM, pg_hba.conf may take nothing else.
SELECT count(set_config('password_encryption', 'scram-sha-256', false)) AS encryption
  FROM pg_authid WHERE rolname = session_user AND rolpassword LIKE 'SCRAM-SHA-256$%'
\gset

\endif

SELECT format('CREATE DATABASE %I', :'database')
 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database')
\gexec

BEGIN;

SELECT format('CREATE ROLE %I', :'user') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'user')
\gexec

ALTER ROLE :"user" PASSWORD :'password';

SELECT :'user' <> session_user AS is_other
\gset
\if :is_other

SELECT format('ALTER ROLE %I LOGIN INHERIT CONNECTION LIMIT %s VALID UNTIL %L', :'user', rolconnlimit,
    coalesce(rolvaliduntil, 'infinity'))
    || CASE WHEN rolsuper THEN ' SUPERUSER' ELSE '' END || CASE WHEN rolcreaterole THEN ' CREATEROLE' ELSE '' END
    || CASE WHEN rolcreatedb THEN ' CREATEDB' ELSE '' END || CASE WHEN rolreplication THEN ' REPLICATION' ELSE '' END
    || CASE WHEN rolbypassrls THEN ' BYPASSRLS' ELSE '' END
  FROM pg_roles WHERE rolname = session_user
\gexec

WITH RECURSIVE above (id) AS (
  SELECT oid FROM pg_roles WHERE rolname = session_user
  UNION SELECT roleid FROM pg_auth_members JOIN above ON member = id)
SELECT format('REVOKE %I FROM %I', held.rolname, holder.rolname)
    || coalesce(format(' GRANTED BY %I', granter.rolname), '') || ' CASCADE'
  FROM pg_auth_members AS membership JOIN above ON membership.member = above.id
  JOIN pg_roles AS held ON held.oid = membership.roleid JOIN pg_roles AS holder ON holder.oid = membership.member
  LEFT JOIN pg_roles AS granter ON granter.oid = membership.grantor
 WHERE held.rolname = :'user'
\gexec

SELECT format('GRANT %I TO %I', session_user, :'user')
\gexec

SELECT format('ALTER DATABASE %I OWNER TO %I', datname, :'user')
  FROM pg_database JOIN pg_roles ON pg_roles.oid = datdba
 WHERE datname = :'database' AND datname <> current_database() AND rolname = session_user
\gexec

SELECT format('ALTER ROLE %I NOLOGIN', session_user)
\gexec

\endif

COMMIT;
`

function rotate(from: Settings, to: Settings, address: Address): Exec {
  const wanted = { BERTH_USER: to.databaseUser, BERTH_PASSWORD: to.databasePassword, BERTH_DATABASE: to.databaseName }
  return { argv: psql, env: { ...login(from, address), ...wanted }, stdin: rotation }
}

export const postgres = kind({
  name: 'postgres',
  label: 'PostgreSQL',
  idField: 'postgresId',
  defaultImage: 'postgres:15',
  port,
  mayNameItself: true,
  settings,
  secrets: ['databasePassword'],
  reserved: {
    POSTGRES_USER: 'use databaseUser',
    POSTGRES_USER_FILE: 'use databaseUser',
    POSTGRES_PASSWORD: 'use databasePassword',
    POSTGRES_PASSWORD_FILE: 'use databasePassword',
    POSTGRES_DB: 'use databaseName',
    POSTGRES_DB_FILE: 'use databaseName',
    PGDATA: kept,
    POSTGRES_INITDB_WALDIR: kept,
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
   * From 18 on the official images declare their volume one level up (docker-library/postgres#1259). PGDATA is the same
   * path in both and always set. Without a version it is the volume: an older image under another tag would hide a
   * mount one level up behind a volume of its own, which is lost with the container.
   */
  dataPath: (version) => (version !== null && Number(version) >= 18 ? '/var/lib/postgresql' : dataPath),
  env: (it) => ({
    POSTGRES_USER: it.databaseUser,
    POSTGRES_PASSWORD: it.databasePassword,
    POSTGRES_DB: it.databaseName,
    PGDATA: dataPath,
  }),
  url,
  health: healthCheck(answers),
  ready: (it, address) => ({ argv: [...psql, '-c', majorVersion], env: login(it, address) }),
  rotate,
  backup: postgresBackup,
  manualBackup: 'manualBackupPostgres',
})
