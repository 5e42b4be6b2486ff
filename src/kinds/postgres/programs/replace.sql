-- Gives the restored database the name of the old database. One transaction copies the grants and settings of the old
-- database and renames both databases. An archive cannot restore these grants and settings under another name. Finally
-- the old database is dropped.

\set ON_ERROR_STOP on
\set VERBOSITY terse
SET client_min_messages = warning;
\set database `printf %s "$BERTH_DATABASE"`
SELECT 'berth_restored_' || left(md5(:'database'), 16) AS scratch,
    'berth_replaced_' || left(md5(:'database'), 16) AS replaced
\gset

SELECT EXISTS (SELECT FROM pg_database WHERE datname = :'database') AS has_old
\gset
SELECT format('ALTER DATABASE %I WITH ALLOW_CONNECTIONS false', :'database') WHERE :'has_old'
   AND EXISTS (SELECT FROM pg_database WHERE datname = :'scratch')
\gexec
BEGIN;
\if :has_old
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC, %I', :'scratch', pg_get_userbyid(datdba))
  FROM pg_database WHERE datname = :'database' AND datacl IS NOT NULL
UNION ALL SELECT format('GRANT %s ON DATABASE %I TO %s%s', privilege_type, :'scratch',
    CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
    CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
  FROM pg_database, aclexplode(datacl) WHERE datname = :'database'
UNION ALL SELECT format('COMMENT ON DATABASE %I IS %L', :'scratch', shobj_description(oid, 'pg_database'))
  FROM pg_database WHERE datname = :'database'
\gexec
DELETE FROM pg_db_role_setting WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = :'scratch')
   AND EXISTS (SELECT FROM pg_db_role_setting WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = :'database'));
UPDATE pg_db_role_setting SET setdatabase = (SELECT oid FROM pg_database WHERE datname = :'scratch')
 WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = :'database');
SELECT count(pg_terminate_backend(pid)) AS ended FROM pg_stat_activity WHERE datname IN (:'database', :'scratch')
\gset
ALTER DATABASE :"database" RENAME TO :"replaced";
\endif
ALTER DATABASE :"scratch" RENAME TO :"database";
COMMIT;

SELECT count(pg_terminate_backend(pid)) AS ended FROM pg_stat_activity WHERE datname = :'replaced'
\gset
DROP DATABASE IF EXISTS :"replaced";
