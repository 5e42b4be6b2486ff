-- Prepares the scratch database for extensions that a restore cannot simply create. pg_cron refuses every database but the
-- one that its setting names. So the scratch database has that name while an extension is created: only the transaction
-- that creates it sees this. TimescaleDB has to be told of the restore before any row is loaded. Some extensions fill a table
-- of which an archive has all rows (its condition is empty): the rows of the archive replace those of the extension.

\set ON_ERROR_STOP on
\set VERBOSITY terse
CREATE SCHEMA berth_load;
CREATE TABLE berth_load.own AS SELECT oid AS id, datname AS name FROM pg_database WHERE datname = current_database();

CREATE FUNCTION berth_load.before_extension() RETURNS event_trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  assumed text := (SELECT split_part(setting, ',', 1) FROM pg_settings WHERE name = 'cron.database_name');
BEGIN
  IF assumed IS NOT NULL THEN
    UPDATE pg_database SET datname = 'berth_away_' || left(md5(assumed), 16)
     WHERE datname = assumed AND oid <> (SELECT id FROM berth_load.own);
    UPDATE pg_database SET datname = assumed WHERE oid = (SELECT id FROM berth_load.own);
  END IF;
END $$;

CREATE FUNCTION berth_load.after_extension() RETURNS event_trigger LANGUAGE plpgsql SET search_path = pg_catalog
  SET session_replication_role = replica AS $$
DECLARE
  assumed text := (SELECT split_part(setting, ',', 1) FROM pg_settings WHERE name = 'cron.database_name');
  place text := (SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
    WHERE extname = 'timescaledb');
  filled regclass;
BEGIN
  IF assumed IS NOT NULL THEN
    UPDATE pg_database SET datname = name FROM berth_load.own WHERE oid = id;
    UPDATE pg_database SET datname = assumed WHERE datname = 'berth_away_' || left(md5(assumed), 16);
  END IF;
  IF place IS NOT NULL AND coalesce(current_setting('timescaledb.restoring', true), 'off') <> 'on' THEN
    EXECUTE format('SELECT %I.timescaledb_pre_restore()', place);
  END IF;
  FOR filled IN SELECT pg_class.oid FROM pg_event_trigger_ddl_commands()
    JOIN pg_extension ON classid = 'pg_extension'::regclass AND pg_extension.oid = objid,
    LATERAL unnest(extconfig, extcondition) AS config (id, condition)
    JOIN pg_class ON pg_class.oid = config.id AND relkind = 'r' WHERE condition = ''
  LOOP
    EXECUTE format('DELETE FROM ONLY %s', filled);
  END LOOP;
END $$;

CREATE EVENT TRIGGER berth_before_extension ON ddl_command_start WHEN tag IN ('CREATE EXTENSION')
  EXECUTE PROCEDURE berth_load.before_extension();
-- The name sorts last, so that this trigger runs after those that the extension itself has created.
CREATE EVENT TRIGGER "~berth_after_extension" ON ddl_command_end WHEN tag IN ('CREATE EXTENSION')
  EXECUTE PROCEDURE berth_load.after_extension();
