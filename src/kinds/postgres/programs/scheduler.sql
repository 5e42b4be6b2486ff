-- Prints 'ended' if the scheduler of pg_cron for the database does not run. The replacement of the database ends it, and
-- PostgreSQL starts it again after a second. Before version 1.6.1 of pg_cron it starts only with the server.

\set ON_ERROR_STOP on
\set VERBOSITY terse
\set database `printf %s "$BERTH_DATABASE"`
SELECT 'ended' FROM pg_settings WHERE name = 'cron.database_name' AND setting = :'database'
   AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = :'database' AND backend_type = 'pg_cron launcher');
