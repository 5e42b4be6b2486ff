-- Prints the names of the tables of the database mysql that have accounts, privileges, plugins and servers. Each product and
-- version has some of them. Where mysql.user is a view, global_priv has its rows.
select table_name from information_schema.tables
 where table_schema = 'mysql' and table_type = 'BASE TABLE'
   and table_name in ('user', 'global_priv', 'db', 'tables_priv', 'columns_priv', 'procs_priv', 'proxies_priv',
     'global_grants', 'role_edges', 'default_roles', 'roles_mapping', 'password_history', 'plugin', 'func', 'component',
     'servers')
 order by table_name
