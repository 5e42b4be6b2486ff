-- Cleans up after a restore that has failed or was ended: the database accepts connections, and the scratch database or the
-- replaced database is dropped.

\set ON_ERROR_STOP on
\set VERBOSITY terse
SET client_min_messages = warning;
\set database `printf %s "$BERTH_DATABASE"`
SELECT 'berth_restored_' || left(md5(:'database'), 16) AS scratch,
    'berth_replaced_' || left(md5(:'database'), 16) AS replaced
\gset

SELECT format('ALTER DATABASE %I WITH ALLOW_CONNECTIONS true', datname)
  FROM pg_database WHERE datname = :'database' AND NOT datallowconn
\gexec
SELECT count(pg_terminate_backend(pid)) AS ended FROM pg_stat_activity WHERE datname IN (:'scratch', :'replaced')
\gset
DROP DATABASE IF EXISTS :"scratch";
DROP DATABASE IF EXISTS :"replaced";
