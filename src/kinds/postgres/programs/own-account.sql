-- Makes Berth's own account, or gives it its password, rights and settings again. No event trigger, search path or limit
-- of the server applies to its sessions, and the server logs none of its statements.

\set ON_ERROR_STOP on
\set VERBOSITY terse
\set own `printf %s "$BERTH_OWN_USER"`
\set password `printf %s "$BERTH_OWN_PASSWORD"`
\set user `printf %s "$BERTH_USER"`

SET ROLE NONE;

-- Without a row, \gset ends the script before a statement contains the password.
SELECT rolname AS superuser FROM pg_roles WHERE rolname = session_user AND rolsuper
\gset

-- Keep the password out of logs, statistics and pg_stat_activity.
SELECT count(set_config(name, value, false)) AS changed
  FROM (VALUES ('log_statement', 'none'), ('log_min_duration_statement', '-1'), ('log_min_duration_sample', '-1'),
    ('log_transaction_sample_rate', '0'), ('log_min_error_statement', 'panic'), ('track_activities', 'off'),
    ('pg_stat_statements.track', 'none'), ('pgaudit.log', 'none')) AS overrides (name, value)
  JOIN pg_settings USING (name)
\gset

-- If the password of the user was stored as SCRAM, pg_hba.conf may accept SCRAM only.
SELECT count(set_config('password_encryption', 'scram-sha-256', false)) AS encryption
  FROM pg_authid WHERE rolname = :'user' AND rolpassword LIKE 'SCRAM-SHA-256$%'
\gset

BEGIN;

SELECT format('CREATE ROLE %I', :'own') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'own')
\gexec

ALTER ROLE :"own" SUPERUSER LOGIN CONNECTION LIMIT -1 VALID UNTIL 'infinity' PASSWORD :'password';

ALTER ROLE :"own" RESET ALL;

SELECT format('ALTER ROLE %I SET %s = %L', :'own', name, value)
  FROM (VALUES ('search_path', 'pg_catalog'), ('event_triggers', 'off'), ('default_transaction_read_only', 'off'),
    ('statement_timeout', '0'), ('lock_timeout', '0'), ('idle_in_transaction_session_timeout', '0'),
    ('log_statement', 'none'), ('log_min_duration_statement', '-1'), ('log_min_duration_sample', '-1'),
    ('log_transaction_sample_rate', '0'), ('log_min_error_statement', 'panic'), ('pgaudit.log', 'none'))
    AS overrides (name, value)
  JOIN pg_settings USING (name)
\gexec

COMMENT ON ROLE :"own" IS 'Made by Berth for its own work, such as dumps';

COMMIT;
