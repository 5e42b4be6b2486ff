-- Ends what is left of a restore whose program was ended: its sessions, one of which may be replacing the database. Then the
-- database accepts connections, whether it is the old or the new one.

\set ON_ERROR_STOP on
\set VERBOSITY terse
SET client_min_messages = warning;
\set database `printf %s "$BERTH_DATABASE"`
DO $$
BEGIN
  FOR attempt IN 1..300 LOOP
    PERFORM pg_stat_clear_snapshot();
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'berth-restore';
    EXIT WHEN NOT FOUND;
    PERFORM pg_sleep(0.1);
  END LOOP;
  PERFORM pg_stat_clear_snapshot();
  IF EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'berth-restore') THEN
    RAISE 'A session of the restore does not end';
  END IF;
END
$$;
SELECT format('ALTER DATABASE %I WITH ALLOW_CONNECTIONS true', datname)
  FROM pg_database WHERE datname = :'database' AND NOT datallowconn
\gexec
