-- Creates the scratch database for a restore and prints its name. Runs in template1, which no client uses. First drops
-- the databases that an earlier restore has left: its scratch database or the replaced database.

\set ON_ERROR_STOP on
\set VERBOSITY terse
SET client_min_messages = warning;
\set database `printf %s "$BERTH_DATABASE"`
SELECT 'berth_restored_' || left(md5(:'database'), 16) AS scratch,
    'berth_replaced_' || left(md5(:'database'), 16) AS replaced
\gset

\set roles `printf %s "$BERTH_ROLES"`
SELECT EXISTS (SELECT FROM pg_replication_slots WHERE database = :'database')
    OR EXISTS (SELECT FROM pg_subscription JOIN pg_database ON pg_database.oid = subdbid WHERE datname = :'database')
    AS is_bound
\gset
\if :is_bound
\echo bound
\quit
\endif

SELECT count(pg_terminate_backend(pid)) AS ended FROM pg_stat_activity WHERE datname = :'scratch'
\gset
DROP DATABASE IF EXISTS :"scratch";

SELECT count(pg_terminate_backend(pid)) AS ended FROM pg_stat_activity WHERE datname = :'replaced'
\gset
DROP DATABASE IF EXISTS :"replaced";

SELECT format('CREATE ROLE %I NOLOGIN', role) FROM jsonb_array_elements_text(:'roles'::jsonb) AS wanted (role)
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role)
\gexec
SELECT format('CREATE DATABASE %I TEMPLATE template0 OWNER %I ENCODING %L LC_COLLATE %L LC_CTYPE %L TABLESPACE %I'
      || ' CONNECTION LIMIT %s', :'scratch', pg_get_userbyid(datdba), pg_encoding_to_char(encoding), datcollate,
      datctype, (SELECT spcname FROM pg_tablespace WHERE pg_tablespace.oid = dattablespace), datconnlimit)
    || CASE to_jsonb(pg_database) ->> 'datlocprovider'
    WHEN 'i' THEN format(' LOCALE_PROVIDER icu ICU_LOCALE %L', coalesce(to_jsonb(pg_database) ->> 'datlocale', to_jsonb(pg_database) ->> 'daticulocale'))
      || coalesce(' ICU_RULES ' || quote_literal(to_jsonb(pg_database) ->> 'daticurules'), '')
    WHEN 'b' THEN format(' LOCALE_PROVIDER builtin BUILTIN_LOCALE %L', coalesce(to_jsonb(pg_database) ->> 'datlocale', to_jsonb(pg_database) ->> 'daticulocale'))
    WHEN 'c' THEN ' LOCALE_PROVIDER libc'
    ELSE '' END
  FROM pg_database
 WHERE datname = :'database'
UNION ALL SELECT format('CREATE DATABASE %I TEMPLATE template0', :'scratch')
 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database')
\gexec
-- Functions, views and constraints of the dump can need the settings of the database. If it has none, it gets those of the
-- dumped one.
\set settings `cat {{settingsPath}}`
INSERT INTO pg_db_role_setting (setdatabase, setrole, setconfig)
SELECT (SELECT oid FROM pg_database WHERE datname = :'scratch'), setrole, setconfig
  FROM pg_db_role_setting WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = :'database');
INSERT INTO pg_db_role_setting (setdatabase, setrole, setconfig)
SELECT oid, 0, ARRAY(SELECT jsonb_array_elements_text(:'settings'::jsonb)) FROM pg_database
 WHERE datname = :'scratch' AND jsonb_array_length(:'settings'::jsonb) > 0
   AND NOT EXISTS (SELECT FROM pg_db_role_setting WHERE setdatabase = pg_database.oid);
\echo :scratch
