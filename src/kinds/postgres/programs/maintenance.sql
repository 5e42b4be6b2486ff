-- Makes Berth's own account in single-user mode, or gives it its password, rights and settings again, as own-account.sql
-- does. Each line is a statement. Those that this server does not know, and the first if the account exists, fail alone.

CREATE ROLE {{own}}
ALTER ROLE {{own}} SUPERUSER LOGIN CONNECTION LIMIT -1 VALID UNTIL 'infinity' PASSWORD '{{password}}'
ALTER ROLE {{own}} RESET ALL
ALTER ROLE {{own}} SET search_path = 'pg_catalog'
ALTER ROLE {{own}} SET event_triggers = 'off'
ALTER ROLE {{own}} SET default_transaction_read_only = 'off'
ALTER ROLE {{own}} SET statement_timeout = '0'
ALTER ROLE {{own}} SET lock_timeout = '0'
ALTER ROLE {{own}} SET idle_in_transaction_session_timeout = '0'
ALTER ROLE {{own}} SET log_statement = 'none'
ALTER ROLE {{own}} SET log_min_duration_statement = '-1'
ALTER ROLE {{own}} SET log_min_duration_sample = '-1'
ALTER ROLE {{own}} SET log_transaction_sample_rate = '0'
ALTER ROLE {{own}} SET log_min_error_statement = 'panic'
ALTER ROLE {{own}} SET pgaudit.log = 'none'
COMMENT ON ROLE {{own}} IS 'Made by Berth for its own work, such as dumps'
