/** What a PostgreSQL server holds beside its databases' contents: all of it listed, roles and databases made again. */
import { type Beside, type Program, secretFile } from '../backup.ts'
import type { Address } from '../kind.ts'
import { envOf, login, type Login } from './login.ts'

const start = String.raw`
\set ON_ERROR_STOP on
\set VERBOSITY terse
SET client_min_messages = warning;
SET search_path = pg_catalog;
`

/** Names and values as JSON: in one line, whatever is in them. */
function line(sort: string, name: string, more = ''): string {
  return `concat_ws(chr(9), '${sort}', to_json(${name}::text), jsonb_build_array(${more}))`
}

/** Of servers from 10 on. A column that not all versions have is read by its name. */
const listServer = String.raw`${start}
SELECT concat_ws(chr(9), 'database', encode(convert_to(datname, 'UTF8'), 'hex')) FROM pg_database
 WHERE datallowconn AND NOT datistemplate AND (datname <> 'postgres' OR datname = current_database())
UNION ALL SELECT ${line(
  'properties of a database',
  'datname',
  `pg_get_userbyid(datdba),
    pg_encoding_to_char(encoding), datcollate, datctype, datconnlimit, datistemplate, datallowconn, spcname,
    to_jsonb(pg_database) -> 'datlocprovider',
    coalesce(to_jsonb(pg_database) -> 'datlocale', to_jsonb(pg_database) -> 'daticulocale'),
    to_jsonb(pg_database) -> 'daticurules', shobj_description(pg_database.oid, 'pg_database'),
    (SELECT jsonb_agg(acl::text ORDER BY acl::text) FROM unnest(datacl) AS acl)`,
)}
  FROM pg_database JOIN pg_tablespace ON pg_tablespace.oid = dattablespace
UNION ALL SELECT ${line(
  'role',
  'rolname',
  `rolsuper, rolinherit, rolcreaterole, rolcreatedb,
    rolcanlogin, rolreplication, rolbypassrls, rolconnlimit, rolvaliduntil,
    CASE WHEN rolname <> session_user THEN md5(rolpassword) END, shobj_description(oid, 'pg_authid')`,
)}
  FROM pg_authid WHERE rolname !~ '^pg_'
UNION ALL SELECT ${line(
  'membership',
  'pg_get_userbyid(member)',
  `pg_get_userbyid(roleid), pg_get_userbyid(grantor),
    admin_option, to_jsonb(pg_auth_members) -> 'inherit_option', to_jsonb(pg_auth_members) -> 'set_option'`,
)}
  FROM pg_auth_members
UNION ALL SELECT ${line(
  'settings',
  `CASE setrole WHEN 0 THEN 'of all roles' ELSE pg_get_userbyid(setrole) END`,
  `CASE setdatabase WHEN 0 THEN '' ELSE (SELECT datname FROM pg_database WHERE oid = setdatabase) END, setconfig`,
)}
  FROM pg_db_role_setting
UNION ALL SELECT ${line('setting of the server', 'name', 'setting')}
  FROM pg_settings WHERE source = 'configuration file'
UNION ALL SELECT ${line(
  'rule of pg_hba.conf',
  `array_to_string(user_name, ',')`,
  "to_jsonb(pg_hba_file_rules) - 'rule_number' - 'file_name' - 'line_number'",
)}
  FROM pg_hba_file_rules
UNION ALL SELECT ${line('tablespace', 'spcname')} FROM pg_tablespace
 WHERE spcname NOT IN ('pg_default', 'pg_global')
UNION ALL SELECT ${line('replication slot', 'slot_name')} FROM pg_replication_slots WHERE NOT temporary
UNION ALL SELECT ${line('subscription', 'subname')} FROM pg_subscription
UNION ALL SELECT ${line('prepared transaction', 'gid')} FROM pg_prepared_xacts
UNION ALL SELECT ${line('security label', 'label', 'provider, classoid::regclass')} FROM pg_shseclabel;
SELECT to_regclass('pg_parameter_acl') IS NOT NULL AS has_parameters
\gset
\if :has_parameters
SELECT ${line('grant of a parameter', 'parname', 'paracl::text')} FROM pg_parameter_acl;
\endif
`

/** In the databases that are the server's own, in which nobody should have put anything: they are not dumped. */
const listOwn = `
SET client_min_messages = warning;
SET search_path = pg_catalog;
SELECT concat_ws(chr(9), 'in the database ' || current_database(), to_json(it))
  FROM (SELECT relnamespace::regnamespace || '.' || relname FROM pg_class WHERE oid >= 16384
      AND relnamespace <> 'pg_toast'::regnamespace
    UNION ALL SELECT oid::regprocedure::text FROM pg_proc WHERE oid >= 16384
    UNION ALL SELECT nspname FROM pg_namespace WHERE oid >= 16384 AND nspname !~ '^pg_'
    UNION ALL SELECT extname FROM pg_extension WHERE oid >= 16384) AS own (it)
 WHERE :'BERTH_OWN' <> current_database();
`

const list = [
  listServer,
  'SELECT current_database() AS "BERTH_OWN"',
  String.raw`\gset`,
  String.raw`\connect postgres`,
  listOwn,
  String.raw`\connect template1`,
  listOwn,
].join('\n')

/** A statement that is made only where there is no such row, as psql's \gexec has it. */
function unless(statement: string, table: string, column: string): string {
  const wanted = String.raw`E'SELECT %L WHERE NOT EXISTS (SELECT FROM ${table} WHERE ${column} = %L)\n\\gexec'`
  return `format(${wanted}, ${statement}, ${column})`
}

const locale = `coalesce(to_jsonb(pg_database) ->> 'datlocale', to_jsonb(pg_database) ->> 'daticulocale')`

/** Of CREATE DATABASE, from a row of pg_database, whose columns differ between versions of the server. */
export const localeProvider = `CASE to_jsonb(pg_database) ->> 'datlocprovider'
    WHEN 'i' THEN format(' LOCALE_PROVIDER icu ICU_LOCALE %L', ${locale})
      || coalesce(' ICU_RULES ' || quote_literal(to_jsonb(pg_database) ->> 'daticurules'), '')
    WHEN 'b' THEN format(' LOCALE_PROVIDER builtin BUILTIN_LOCALE %L', ${locale})
    WHEN 'c' THEN ' LOCALE_PROVIDER libc'
    ELSE '' END`

const createDatabase = `format('CREATE DATABASE %I TEMPLATE template0 ENCODING %L LC_COLLATE %L LC_CTYPE %L', datname,
    pg_encoding_to_char(encoding), datcollate, datctype) || ${localeProvider}`

function flag(column: string, word: string): string {
  return `CASE WHEN ${column} THEN ' ${word}' ELSE ' NO${word}' END`
}

const roles = `FROM pg_authid WHERE rolname !~ '^pg_'`
const databases = 'FROM pg_database WHERE NOT datistemplate AND datallowconn'

/** A role's password goes as the hash that it is stored as; the user's own was given to the new server already. */
const give = `${start}
SELECT ${unless(`format('CREATE ROLE %I', rolname)`, 'pg_roles', 'rolname')} ${roles};
SELECT format('ALTER ROLE %I WITH', rolname) || ${flag('rolsuper', 'SUPERUSER')} || ${flag('rolinherit', 'INHERIT')}
    || ${flag('rolcreaterole', 'CREATEROLE')} || ${flag('rolcreatedb', 'CREATEDB')} || ${flag('rolcanlogin', 'LOGIN')}
    || ${flag('rolreplication', 'REPLICATION')} || ${flag('rolbypassrls', 'BYPASSRLS')}
    || ' CONNECTION LIMIT ' || rolconnlimit || coalesce(' VALID UNTIL ' || quote_literal(rolvaliduntil), '')
    || CASE WHEN rolname = session_user THEN '' ELSE format(' PASSWORD %L', rolpassword) END || ';'
  ${roles};
SELECT format('COMMENT ON ROLE %I IS %L;', rolname, shobj_description(oid, 'pg_authid')) ${roles};
SELECT format('GRANT %I TO %I', held.rolname, holder.rolname)
    || CASE WHEN to_jsonb(it) ? 'set_option' THEN format(' WITH ADMIN %s, INHERIT %s, SET %s', admin_option::text,
      to_jsonb(it) ->> 'inherit_option', to_jsonb(it) ->> 'set_option')
      WHEN admin_option THEN ' WITH ADMIN OPTION' ELSE '' END || ';'
  FROM pg_auth_members AS it JOIN pg_authid AS held ON held.oid = it.roleid
  JOIN pg_authid AS holder ON holder.oid = it.member
 WHERE held.rolname !~ '^pg_' OR holder.rolname !~ '^pg_';
SELECT ${unless(createDatabase, 'pg_database', 'datname')} ${databases};
SELECT format('ALTER DATABASE %I OWNER TO %I;', datname, pg_get_userbyid(datdba)),
    format('ALTER DATABASE %I CONNECTION LIMIT %s;', datname, datconnlimit),
    format('COMMENT ON DATABASE %I IS %L;', datname, shobj_description(oid, 'pg_database')) ${databases};
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC, %I;', datname, pg_get_userbyid(datdba))
  ${databases} AND datacl IS NOT NULL;
SELECT format('GRANT %s ON DATABASE %I TO %s%s;', privilege_type, datname,
    CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
    CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
  FROM pg_database, aclexplode(datacl) WHERE NOT datistemplate AND datallowconn;
SELECT 'DELETE FROM pg_db_role_setting;';
SELECT format('INSERT INTO pg_db_role_setting SELECT coalesce((SELECT oid FROM pg_database WHERE datname = %L), 0),'
    || ' coalesce((SELECT oid FROM pg_roles WHERE rolname = %L), 0), %L::text[];',
    datname, rolname, setconfig)
  FROM pg_db_role_setting LEFT JOIN pg_database ON pg_database.oid = setdatabase
  LEFT JOIN pg_roles ON pg_roles.oid = setrole;
`

/** The list's fields are one a row; of the statements several, each on a line of its own. */
const printScript = `${login}
printf '%s\\n' "$1" | psql -X -q -A -t -w -F '
'
`

const takeScript = `${login}
exec psql -X -q -A -t -w --set=ON_ERROR_STOP=on --set=VERBOSITY=terse >/dev/null
`

const programOf =
  (script: string, ...texts: string[]) =>
  (it: Login, address: Address): Program => ({
    argv: ['sh', '-c', script, 'berth', ...texts],
    env: envOf(it, { ...address, database: it.databaseName }),
    files: secretFile(it.databasePassword),
  })

export const postgresBeside: Beside<Login> = {
  dumped: [],
  list: programOf(printScript, list),
  give: programOf(printScript, give),
  take: programOf(takeScript),
}
