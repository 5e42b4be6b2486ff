-- Prints the number with which the server identifies the database, or - if there is none. A restore replaces the database by
-- another one, which has another number.

\set ON_ERROR_STOP on
\set database `printf %s "$BERTH_DATABASE"`
SELECT coalesce((SELECT oid::text FROM pg_database WHERE datname = :'database'), '-');
