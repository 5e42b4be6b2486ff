-- Prints statements that recreate roles, databases, grants and settings, without Berth's own account ($BERTH_OWN). The
-- passwords of roles are hashes. The role that logs in already has its password on the new server. A statement before
-- \gexec runs only if its object does not exist. Until version 15, each grant of a role names the role that granted it.

\set ON_ERROR_STOP on
\set VERBOSITY terse
SET client_min_messages = warning;
SET search_path = pg_catalog;
\set own `printf %s "$BERTH_OWN"`

SELECT format(E'SELECT %L WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = %L)\n\\gexec', format('CREATE ROLE %I', rolname), rolname) FROM pg_authid WHERE rolname !~ '^pg_' AND rolname <> :'own';
SELECT format('ALTER ROLE %I WITH', rolname) || CASE WHEN rolsuper THEN ' SUPERUSER' ELSE ' NOSUPERUSER' END || CASE WHEN rolinherit THEN ' INHERIT' ELSE ' NOINHERIT' END
    || CASE WHEN rolcreaterole THEN ' CREATEROLE' ELSE ' NOCREATEROLE' END || CASE WHEN rolcreatedb THEN ' CREATEDB' ELSE ' NOCREATEDB' END || CASE WHEN rolcanlogin THEN ' LOGIN' ELSE ' NOLOGIN' END
    || CASE WHEN rolreplication THEN ' REPLICATION' ELSE ' NOREPLICATION' END || CASE WHEN rolbypassrls THEN ' BYPASSRLS' ELSE ' NOBYPASSRLS' END
    || ' CONNECTION LIMIT ' || rolconnlimit || coalesce(' VALID UNTIL ' || quote_literal(rolvaliduntil), '')
    || CASE WHEN rolname = session_user THEN '' ELSE format(' PASSWORD %L', rolpassword) END || ';'
  FROM pg_authid WHERE rolname !~ '^pg_' AND rolname <> :'own';
SELECT format('COMMENT ON ROLE %I IS %L;', rolname, shobj_description(oid, 'pg_authid')) FROM pg_authid WHERE rolname !~ '^pg_' AND rolname <> :'own';
SELECT format('GRANT %I TO %I', granted.rolname, grantee.rolname)
    || CASE WHEN to_jsonb(membership) ? 'set_option' THEN format(' WITH ADMIN %s, INHERIT %s, SET %s', admin_option::text,
      to_jsonb(membership) ->> 'inherit_option', to_jsonb(membership) ->> 'set_option')
      WHEN admin_option THEN ' WITH ADMIN OPTION' ELSE '' END
    || CASE WHEN NOT to_jsonb(membership) ? 'set_option' THEN coalesce(' GRANTED BY ' || quote_ident(granter.rolname), '')
      ELSE '' END || ';'
  FROM pg_auth_members AS membership JOIN pg_authid AS granted ON granted.oid = membership.roleid
  JOIN pg_authid AS grantee ON grantee.oid = membership.member
  LEFT JOIN pg_authid AS granter ON granter.oid = membership.grantor
 WHERE granted.rolname !~ '^pg_' OR grantee.rolname !~ '^pg_';
SELECT format(E'SELECT %L WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = %L)\n\\gexec', format('CREATE DATABASE %I TEMPLATE template0 ENCODING %L LC_COLLATE %L LC_CTYPE %L', datname,
    pg_encoding_to_char(encoding), datcollate, datctype) || CASE to_jsonb(pg_database) ->> 'datlocprovider'
    WHEN 'i' THEN format(' LOCALE_PROVIDER icu ICU_LOCALE %L', coalesce(to_jsonb(pg_database) ->> 'datlocale', to_jsonb(pg_database) ->> 'daticulocale'))
      || coalesce(' ICU_RULES ' || quote_literal(to_jsonb(pg_database) ->> 'daticurules'), '')
    WHEN 'b' THEN format(' LOCALE_PROVIDER builtin BUILTIN_LOCALE %L', coalesce(to_jsonb(pg_database) ->> 'datlocale', to_jsonb(pg_database) ->> 'daticulocale'))
    WHEN 'c' THEN ' LOCALE_PROVIDER libc'
    ELSE '' END, datname) FROM pg_database WHERE NOT datistemplate AND datallowconn;
SELECT format('ALTER DATABASE %I OWNER TO %I;', datname, pg_get_userbyid(datdba)),
    format('ALTER DATABASE %I CONNECTION LIMIT %s;', datname, datconnlimit),
    format('COMMENT ON DATABASE %I IS %L;', datname, shobj_description(oid, 'pg_database')) FROM pg_database WHERE NOT datistemplate AND datallowconn;
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC, %I;', datname, pg_get_userbyid(datdba))
  FROM pg_database WHERE NOT datistemplate AND datallowconn AND datacl IS NOT NULL;
SELECT format('GRANT %s ON DATABASE %I TO %s%s;', privilege_type, datname,
    CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
    CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
  FROM pg_database, aclexplode(datacl) WHERE NOT datistemplate AND datallowconn;
SELECT format('DELETE FROM pg_db_role_setting WHERE pg_get_userbyid(setrole) <> %L;', :'own');
SELECT format('INSERT INTO pg_db_role_setting SELECT coalesce((SELECT oid FROM pg_database WHERE datname = %L), 0),'
    || ' coalesce((SELECT oid FROM pg_roles WHERE rolname = %L), 0), %L::text[];',
    datname, rolname, setconfig)
  FROM pg_db_role_setting LEFT JOIN pg_database ON pg_database.oid = setdatabase
  LEFT JOIN pg_roles ON pg_roles.oid = setrole WHERE pg_get_userbyid(setrole) <> :'own';
