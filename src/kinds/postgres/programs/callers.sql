-- Prints the generated columns of a database that call a function without a search path of its own. A restore has an empty
-- search path, so such a function finds only names with a schema.
SELECT 'Berth: column ' || attrelid::regclass || '.' || quote_ident(attname) || ' calls ' || refobjid::regprocedure
  FROM pg_depend JOIN pg_attrdef ON pg_attrdef.oid = objid JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
  JOIN pg_proc ON pg_proc.oid = refobjid
 WHERE classid = 'pg_attrdef'::regclass AND refclassid = 'pg_proc'::regclass AND attgenerated <> ''
   AND pronamespace <> 'pg_catalog'::regnamespace
   AND NOT EXISTS (SELECT FROM unnest(proconfig) AS setting WHERE setting LIKE 'search_path=%')
 LIMIT 20;
