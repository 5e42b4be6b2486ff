-- Gives what belongs to Berth's own account after a restore, such as extensions, to the user of the database. An archive
-- does not name the owners of these objects. Runs in the restored database.

\set ON_ERROR_STOP on
\set VERBOSITY terse
SET client_min_messages = warning;
\set owner `printf %s "$BERTH_OWNER"`
SELECT format('REASSIGN OWNED BY %I TO %I', session_user, rolname)
  FROM pg_roles WHERE rolname = :'owner' AND rolname <> session_user
\gexec
