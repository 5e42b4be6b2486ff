-- Lists objects that users created in one of the server's own databases. These databases are not dumped.

SET client_min_messages = warning;
SET search_path = pg_catalog;
SELECT concat_ws(chr(9), 'in the database ' || current_database(), to_json(name))
  FROM (SELECT relnamespace::regnamespace || '.' || relname FROM pg_class WHERE oid >= 16384
      AND relnamespace <> 'pg_toast'::regnamespace
    UNION ALL SELECT oid::regprocedure::text FROM pg_proc WHERE oid >= 16384
    UNION ALL SELECT nspname FROM pg_namespace WHERE oid >= 16384 AND nspname !~ '^pg_'
    UNION ALL SELECT extname FROM pg_extension WHERE oid >= 16384) AS own (name)
 WHERE :'BERTH_OWN' <> current_database();
