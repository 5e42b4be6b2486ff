-- Prints a line for each object that pg_dump leaves out, that a restore cannot create without another server, or whose rows
-- are on another server: the reason, the type, the name, and the definition or the server. All but the reason and the type
-- are in hexadecimal digits. An invalid index may still be under construction. Then its table is locked, and no line is
-- printed.

\set ON_ERROR_STOP on
WITH RECURSIVE remote AS (
  SELECT ftrelid AS id, srvname FROM pg_foreign_table JOIN pg_foreign_server ON pg_foreign_server.oid = ftserver
  UNION SELECT ev_class, srvname FROM remote JOIN pg_depend ON refobjid = remote.id
    JOIN pg_rewrite ON pg_rewrite.oid = objid
   WHERE refclassid = 'pg_class'::regclass AND classid = 'pg_rewrite'::regclass
), found AS (
  SELECT 1 AS rank, 'IndexInvalid INDEX' AS reason, indexrelid::regclass::text AS name,
      pg_get_indexdef(indexrelid) AS parameter
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
   WHERE NOT indisvalid AND relkind = 'i' AND nspname !~ '^pg_'
     AND NOT EXISTS (SELECT FROM pg_locks WHERE relation = indrelid AND mode = 'ShareUpdateExclusiveLock'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
  UNION ALL SELECT 2, 'ServerNeeded MATERIALIZED_VIEW', id::regclass::text, srvname::text
    FROM remote JOIN pg_class ON pg_class.oid = id WHERE relkind = 'm' AND relispopulated
  UNION ALL SELECT 3, 'RowsElsewhere FOREIGN_TABLE', ftrelid::regclass::text, srvname::text
    FROM pg_foreign_table JOIN pg_foreign_server ON pg_foreign_server.oid = ftserver
)
SELECT 'Berth: ' || reason || ' ' || encode(convert_to(name, 'UTF8'), 'hex') || ' '
    || encode(convert_to(left(parameter, 300), 'UTF8'), 'hex')
  FROM found ORDER BY rank, name LIMIT 20;
