-- Changes the credentials. All changes except CREATE DATABASE are one transaction: before the commit the old
-- credentials work, after it the new credentials. The old user or Berth's own account logs in. The new user gets the
-- attributes of the old user, and becomes a member of the old role, which gives it the rights and objects. Memberships
-- that would form a cycle are revoked first. The script uses backquotes, because \getenv exists only since psql 14.

\set ON_ERROR_STOP on
\set VERBOSITY terse
\set old `printf %s "$BERTH_OLD_USER"`
\set user `printf %s "$BERTH_USER"`
\set password `printf %s "$BERTH_PASSWORD"`
\set database `printf %s "$BERTH_DATABASE"`

SET ROLE NONE;

-- A login compares names as bytes, so the server must store the names without a conversion.
SELECT set_config('client_encoding', current_setting('server_encoding'), false) AS encoding
\gset

SELECT rolsuper AS is_superuser FROM pg_roles WHERE rolname = session_user
\gset
\if :is_superuser

-- Keep the password out of logs, statistics and pg_stat_activity.
SELECT count(set_config(name, value, false)) AS changed
  FROM (VALUES ('log_statement', 'none'), ('log_min_duration_statement', '-1'), ('log_min_duration_sample', '-1'),
    ('log_transaction_sample_rate', '0'), ('log_min_error_statement', 'panic'), ('track_activities', 'off'),
    ('pg_stat_statements.track', 'none'), ('pgaudit.log', 'none')) AS overrides (name, value)
  JOIN pg_settings USING (name)
\gset

-- If the old password was stored as SCRAM, pg_hba.conf may accept SCRAM only.
SELECT count(set_config('password_encryption', 'scram-sha-256', false)) AS encryption
  FROM pg_authid WHERE rolname = :'old' AND rolpassword LIKE 'SCRAM-SHA-256$%'
\gset

\endif

SELECT format('CREATE DATABASE %I OWNER %I', :'database', :'old')
 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database')
\gexec

BEGIN;

SELECT format('CREATE ROLE %I', :'user') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'user')
\gexec

ALTER ROLE :"user" PASSWORD :'password';

SELECT :'user' <> :'old' AS is_other
\gset
\if :is_other

SELECT format('ALTER ROLE %I LOGIN INHERIT CONNECTION LIMIT %s VALID UNTIL %L', :'user', rolconnlimit,
    coalesce(rolvaliduntil, 'infinity'))
    || CASE WHEN rolsuper THEN ' SUPERUSER' ELSE '' END || CASE WHEN rolcreaterole THEN ' CREATEROLE' ELSE '' END
    || CASE WHEN rolcreatedb THEN ' CREATEDB' ELSE '' END || CASE WHEN rolreplication THEN ' REPLICATION' ELSE '' END
    || CASE WHEN rolbypassrls THEN ' BYPASSRLS' ELSE '' END
  FROM pg_roles WHERE rolname = :'old'
\gexec

WITH RECURSIVE above (id) AS (
  SELECT oid FROM pg_roles WHERE rolname = :'old'
  UNION SELECT roleid FROM pg_auth_members JOIN above ON member = id)
SELECT format('REVOKE %I FROM %I', granted.rolname, grantee.rolname)
    || coalesce(format(' GRANTED BY %I', granter.rolname), '') || ' CASCADE'
  FROM pg_auth_members AS membership JOIN above ON membership.member = above.id
  JOIN pg_roles AS granted ON granted.oid = membership.roleid JOIN pg_roles AS grantee ON grantee.oid = membership.member
  LEFT JOIN pg_roles AS granter ON granter.oid = membership.grantor
 WHERE granted.rolname = :'user'
\gexec

SELECT format('GRANT %I TO %I', :'old', :'user')
\gexec

SELECT format('ALTER DATABASE %I OWNER TO %I', datname, :'user')
  FROM pg_database JOIN pg_roles ON pg_roles.oid = datdba
 WHERE datname = :'database' AND datname <> current_database() AND rolname = :'old'
\gexec

SELECT format('ALTER ROLE %I NOLOGIN', :'old')
\gexec

\endif

COMMIT;
