-- Drops the scratch database of a failed restore.

\set ON_ERROR_STOP on
\set VERBOSITY terse
SET client_min_messages = warning;
\set database `printf %s "$BERTH_DATABASE"`
SELECT 'berth_restored_' || left(md5(:'database'), 16) AS scratch,
    'berth_replaced_' || left(md5(:'database'), 16) AS replaced
\gset

SELECT count(pg_terminate_backend(pid)) AS ended FROM pg_stat_activity WHERE datname = :'scratch'
\gset
DROP DATABASE IF EXISTS :"scratch";
