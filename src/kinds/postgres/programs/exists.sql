-- Prints 1 if the database exists.

\set ON_ERROR_STOP on
\set database `printf %s "$BERTH_DATABASE"`
SELECT 1 FROM pg_database WHERE datname = :'database';
