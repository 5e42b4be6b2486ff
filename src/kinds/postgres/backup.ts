/**
 * PostgreSQL's backup: pg_dump's custom format, which is restored beside the database and takes its place at the end.
 * Roles are the server's and in no dump: those that an archive names are made without a login where they are missing.
 */
import {
  type Backup,
  defaultLockSeconds,
  missingStatus,
  type Place,
  type Program,
  secretFile,
  type Target,
} from '../backup.ts'
import { postgresReader } from './archive.ts'
import { localeProvider, postgresBeside } from './beside.ts'
import { envOf, type Login, login } from './login.ts'

/**
 * A table that somebody holds for themselves makes the dump fail, and does not hold it up for ever. After a failure the
 * server is asked whether there is such a database.
 */
const dumpScript = `${login}
BERTH_DATABASE=$PGDATABASE
export BERTH_DATABASE
(
  unset PGCLIENTENCODING
  exec pg_dump --no-password --format=custom --compress=0 --lock-wait-timeout="$BERTH_LOCK_MS"
) && exit 0
found=$(printf '%s\\n' "$1" | PGDATABASE=template1 psql -X -q -A -t -w) || exit 1
[ -n "$found" ] || exit ${missingStatus}
exit 1
`

const isThere = String.raw`
\set ON_ERROR_STOP on
\set database ${'`'}printf %s "$BERTH_DATABASE"${'`'}
SELECT 1 FROM pg_database WHERE datname = :'database';
`

const names = String.raw`
\set ON_ERROR_STOP on
\set VERBOSITY terse
SET client_min_messages = warning;
\set database ${'`'}printf %s "$BERTH_DATABASE"${'`'}
SELECT 'berth_restored_' || left(md5(:'database'), 16) AS scratch,
    'berth_replaced_' || left(md5(:'database'), 16) AS replaced
\gset
`

/** To be called in the database template1, which nobody uses. */
const drop = (name: string) => String.raw`
SELECT count(pg_terminate_backend(pid)) AS ended FROM pg_stat_activity WHERE datname = :'${name}'
\gset
DROP DATABASE IF EXISTS :"${name}";
`

/**
 * Prints the name of the new database, which has what only its making can give it. What a restore before left over is
 * dropped: either it did not get to its end, or the database was replaced already.
 */
const prepare = String.raw`${names}
\set roles ${'`'}printf %s "$BERTH_ROLES"${'`'}
SELECT EXISTS (SELECT FROM pg_replication_slots WHERE database = :'database')
    OR EXISTS (SELECT FROM pg_subscription JOIN pg_database ON pg_database.oid = subdbid WHERE datname = :'database')
    AS is_bound
\gset
\if :is_bound
\echo bound
\quit
\endif
${drop('scratch')}${drop('replaced')}
SELECT format('CREATE ROLE %I NOLOGIN', role) FROM jsonb_array_elements_text(:'roles'::jsonb) AS wanted (role)
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role)
\gexec
SELECT format('CREATE DATABASE %I TEMPLATE template0 OWNER %I ENCODING %L LC_COLLATE %L LC_CTYPE %L TABLESPACE %I'
      || ' CONNECTION LIMIT %s', :'scratch', pg_get_userbyid(datdba), pg_encoding_to_char(encoding), datcollate,
      datctype, (SELECT spcname FROM pg_tablespace WHERE pg_tablespace.oid = dattablespace), datconnlimit)
    || ${localeProvider}
  FROM pg_database
 WHERE datname = :'database'
UNION ALL SELECT format('CREATE DATABASE %I TEMPLATE template0', :'scratch')
 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database')
\gexec
\echo :scratch
`

const forget = `${names}${drop('scratch')}`

/**
 * In one transaction: those who may use the database and its settings, of which the archive has none that would fit
 * another name; then the two names. Only then the old one is dropped.
 */
const replace = String.raw`${names}
SELECT EXISTS (SELECT FROM pg_database WHERE datname = :'database') AS is_there
\gset
BEGIN;
\if :is_there
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC, %I', :'scratch', pg_get_userbyid(datdba))
  FROM pg_database WHERE datname = :'database' AND datacl IS NOT NULL
UNION ALL SELECT format('GRANT %s ON DATABASE %I TO %s%s', privilege_type, :'scratch',
    CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
    CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
  FROM pg_database, aclexplode(datacl) WHERE datname = :'database'
UNION ALL SELECT format('COMMENT ON DATABASE %I IS %L', :'scratch', shobj_description(oid, 'pg_database'))
  FROM pg_database WHERE datname = :'database'
\gexec
UPDATE pg_db_role_setting SET setdatabase = (SELECT oid FROM pg_database WHERE datname = :'scratch')
 WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = :'database');
SELECT count(pg_terminate_backend(pid)) AS ended FROM pg_stat_activity WHERE datname IN (:'database', :'scratch')
\gset
ALTER DATABASE :"database" RENAME TO :"replaced";
\endif
ALTER DATABASE :"scratch" RENAME TO :"database";
COMMIT;
${drop('replaced')}`

/**
 * What is restored need not be on the disk before the new name is, which brings it there. Whoever comes in between the
 * end of all sessions and the new name is sent away again with the next attempt.
 */
const restoreScript = `${login}
BERTH_DATABASE=$PGDATABASE
export BERTH_DATABASE
ask() {
  printf '%s\\n' "$1" | PGDATABASE=template1 psql -X -q -A -t -w
}
scratch=$(ask "$1") || exit 1
if [ "$scratch" = bound ]; then
  echo 'The database has a subscription or a replication slot: drop it first, for the database is replaced' >&2
  exit 1
fi
trap 'ask "$2" >/dev/null 2>&1' EXIT
trap 'exit 1' HUP INT TERM
PGOPTIONS='-c synchronous_commit=off' pg_restore --no-password --exit-on-error --dbname="$scratch" || exit 1
for attempt in 1 2 3 4 5 6; do
  if refusal=$(ask "$3" 2>&1); then
    trap - EXIT
    exit 0
  fi
done
printf '%s\\n' "$refusal" >&2
exit 1
`

function dump(it: Login, place: Place): Program {
  const { lockSeconds = defaultLockSeconds } = place
  return {
    argv: ['sh', '-c', dumpScript, 'berth', isThere],
    missingStatus,
    env: { ...envOf(it, place), BERTH_LOCK_MS: String(lockSeconds * 1000) },
    files: secretFile(it.databasePassword),
  }
}

function restore(it: Login, { roles = [], ...place }: Target): Program {
  return {
    argv: ['sh', '-c', restoreScript, 'berth', prepare, forget, replace],
    env: { ...envOf(it, place), BERTH_ROLES: JSON.stringify(roles) },
    files: secretFile(it.databasePassword),
  }
}

export const postgresBackup: Backup<Login & Record<string, unknown>> = {
  extension: 'dump',
  promise:
    'All tables, large objects, sequences and definitions as they were at one instant, with owners, grants and ' +
    'policies. Not in it: passwords and attributes of roles, settings and grants of the database itself, other ' +
    'databases.',
  restores:
    'The database is restored beside the present one, which is used as before until the new one takes its ' +
    'place in one step: then all sessions in it are ended. Until that step a failure leaves it as it was; both need ' +
    'room on the disk. Its own grants and settings stay. Roles that are missing are made, without a login.',
  isAtomic: true,
  still: [],
  dump,
  restore,
  /** Before 12, - was the name of a file. */
  unpack: (version) => ({ argv: ['pg_restore', ...(Number(version ?? 12) < 12 ? [] : ['--file=-'])], env: {} }),
  reader: postgresReader,
  beside: postgresBeside,
}
