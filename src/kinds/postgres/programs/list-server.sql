-- Lists the inventory of the server beyond the contents of its databases (PostgreSQL 10 and later), without Berth's own
-- account ($BERTH_OWN). Columns that only some versions have are read by name from the row as JSON. Names and values are
-- printed as JSON, which has no line breaks.

\set ON_ERROR_STOP on
\set VERBOSITY terse
SET client_min_messages = warning;
SET search_path = pg_catalog;
\set own `printf %s "$BERTH_OWN"`

SELECT concat_ws(chr(9), 'database', encode(convert_to(datname, 'UTF8'), 'hex')) FROM pg_database
 WHERE datallowconn AND NOT datistemplate AND (datname <> 'postgres' OR datname = current_database())
UNION ALL SELECT concat_ws(chr(9), 'properties of a database', to_json(datname::text), jsonb_build_array(pg_get_userbyid(datdba),
    pg_encoding_to_char(encoding), datcollate, datctype, datconnlimit, datistemplate, datallowconn, spcname,
    to_jsonb(pg_database) -> 'datlocprovider',
    coalesce(to_jsonb(pg_database) -> 'datlocale', to_jsonb(pg_database) -> 'daticulocale'),
    to_jsonb(pg_database) -> 'daticurules', shobj_description(pg_database.oid, 'pg_database'),
    (SELECT jsonb_agg(acl::text ORDER BY acl::text) FROM unnest(datacl) AS acl)))
  FROM pg_database JOIN pg_tablespace ON pg_tablespace.oid = dattablespace
UNION ALL SELECT concat_ws(chr(9), 'role', to_json(rolname::text), jsonb_build_array(rolsuper, rolinherit, rolcreaterole, rolcreatedb,
    rolcanlogin, rolreplication, rolbypassrls, rolconnlimit, rolvaliduntil,
    CASE WHEN rolname <> session_user THEN md5(rolpassword) END, shobj_description(oid, 'pg_authid')))
  FROM pg_authid WHERE rolname !~ '^pg_' AND rolname <> :'own'
UNION ALL SELECT concat_ws(chr(9), 'membership', to_json(pg_get_userbyid(member)::text), jsonb_build_array(pg_get_userbyid(roleid), pg_get_userbyid(grantor),
    admin_option, to_jsonb(pg_auth_members) -> 'inherit_option', to_jsonb(pg_auth_members) -> 'set_option'))
  FROM pg_auth_members
UNION ALL SELECT concat_ws(chr(9), 'settings', to_json(CASE setrole WHEN 0 THEN 'of all roles' ELSE pg_get_userbyid(setrole) END::text), jsonb_build_array(CASE setdatabase WHEN 0 THEN '' ELSE (SELECT datname FROM pg_database WHERE oid = setdatabase) END, setconfig))
  FROM pg_db_role_setting WHERE pg_get_userbyid(setrole) <> :'own'
UNION ALL SELECT concat_ws(chr(9), 'setting of the server', to_json(name::text), jsonb_build_array(setting))
  FROM pg_settings WHERE source = 'configuration file'
UNION ALL SELECT concat_ws(chr(9), 'rule of pg_hba.conf', to_json(array_to_string(user_name, ',')::text), jsonb_build_array(to_jsonb(pg_hba_file_rules) - 'rule_number' - 'file_name' - 'line_number'))
  FROM pg_hba_file_rules
UNION ALL SELECT concat_ws(chr(9), 'tablespace', to_json(spcname::text), jsonb_build_array()) FROM pg_tablespace
 WHERE spcname NOT IN ('pg_default', 'pg_global')
UNION ALL SELECT concat_ws(chr(9), 'replication slot', to_json(slot_name::text), jsonb_build_array()) FROM pg_replication_slots WHERE NOT temporary
UNION ALL SELECT concat_ws(chr(9), 'subscription', to_json(subname::text), jsonb_build_array()) FROM pg_subscription
UNION ALL SELECT concat_ws(chr(9), 'prepared transaction', to_json(gid::text), jsonb_build_array()) FROM pg_prepared_xacts
UNION ALL SELECT concat_ws(chr(9), 'security label', to_json(label::text), jsonb_build_array(provider, classoid::regclass)) FROM pg_shseclabel;
SELECT to_regclass('pg_parameter_acl') IS NOT NULL AS has_parameters
\gset
\if :has_parameters
SELECT concat_ws(chr(9), 'grant of a parameter', to_json(parname::text), jsonb_build_array(paracl::text)) FROM pg_parameter_acl;
\endif
