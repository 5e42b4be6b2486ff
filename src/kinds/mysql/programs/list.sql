-- Lists databases, accounts, privileges and settings of the server. Prints a hash of each password, but no hash for the
-- accounts of the image (root, healthcheck) and for the user of the settings (@user). Berth's own account (@own) is not
-- listed.
set names utf8mb4; set session sql_mode = '';
select concat('database\t', lower(hex(convert(schema_name using utf8mb4))))
  from information_schema.schemata
 where schema_name not in ('information_schema', 'mysql', 'performance_schema', 'sys');
select concat('properties of a database\t', concat_ws('\t', quote(schema_name), quote(default_character_set_name), quote(default_collation_name)))
  from information_schema.schemata;
select concat('account\t', concat_ws('\t', quote(user), quote(host), quote(plugin), quote(ssl_type), quote(ssl_cipher), quote(x509_issuer), quote(x509_subject), quote(max_questions), quote(max_updates), quote(max_connections), quote(max_user_connections), quote(password_expired), quote(concat_ws(', ', account_locked, coalesce(password_lifetime, ''), coalesce(password_reuse_history, ''),
    coalesce(password_reuse_time, ''), coalesce(password_require_current, ''), coalesce(user_attributes, ''))), quote(if((user in ('root', 'healthcheck') or cast(user as binary) = @user), '', sha2(authentication_string, 256)))))
  from mysql.user where @own = x'' or AS_BYTES(user) <> @own;
select concat('grant\t', concat_ws('\t', quote(grantee), quote(privilege_type), quote(is_grantable))) from information_schema.user_privileges
 where @own = x'' or AS_BYTES(grantee) <> concat('''', @own, '''@''%''');
select concat('grant in a database\t', concat_ws('\t', quote(grantee), quote(table_schema), quote(privilege_type), quote(is_grantable)))
  from information_schema.schema_privileges;
select concat('grant on a table\t', concat_ws('\t', quote(grantee), quote(table_schema), quote(table_name), quote(privilege_type), quote(is_grantable)))
  from information_schema.table_privileges;
select concat('grant on a column\t', concat_ws('\t', quote(grantee), quote(table_schema), quote(table_name), quote(column_name), quote(privilege_type), quote(is_grantable))) from information_schema.column_privileges;
select concat('grant on a routine\t', concat_ws('\t', quote(user), quote(host), quote(db), quote(routine_name), quote(routine_type), quote(proc_priv)))
  from mysql.procs_priv;
select concat('proxy\t', concat_ws('\t', quote(user), quote(host), quote(proxied_user), quote(proxied_host), quote(with_grant))) from mysql.proxies_priv;
select concat('plugin\t', concat_ws('\t', quote(name), quote(dl))) from mysql.plugin;
select concat('function\t', concat_ws('\t', quote(name), quote(dl))) from mysql.func;
select concat('server\t', concat_ws('\t', quote(server_name), quote(host), quote(db), quote(username), quote(port), quote(wrapper))) from mysql.servers;
select concat('role of an account\t', concat_ws('\t', quote(from_user), quote(from_host), quote(to_user),
    quote(to_host), with_admin_option)) from mysql.role_edges;
select concat('default role of an account\t', concat_ws('\t', quote(user), quote(host),
    quote(default_role_user), quote(default_role_host))) from mysql.default_roles;
select concat('setting of the server\t', concat_ws('\t', quote(variable_name), quote(variable_value)))
  from performance_schema.persisted_variables;
select concat('component\t', quote(component_urn)) from mysql.component;
