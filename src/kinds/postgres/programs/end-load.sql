-- Ends the load in the restored database: tells TimescaleDB that the restore is over, and removes what begin-load.sql made.
-- Then gives what belongs to Berth's own account, such as extensions, to the user of the database. An archive does not name
-- the owners of these objects.

\set ON_ERROR_STOP on
\set VERBOSITY terse
SET client_min_messages = warning;
SELECT format('SELECT %I.timescaledb_post_restore()', nspname)
  FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'timescaledb'
\gexec
DROP SCHEMA berth_load CASCADE;
\set owner `printf %s "$BERTH_OWNER"`
SELECT format('REASSIGN OWNED BY %I TO %I', session_user, rolname)
  FROM pg_roles WHERE rolname = :'owner' AND rolname <> session_user
\gexec
