-- Prints statements that give the new user the privileges of the old user. Privileges on dropped objects are omitted,
-- because the server keeps them but cannot grant them to another user.


select concat('grant ', group_concat(privilege_type separator ', '), ' on ', '*.*', ' to ', @account,
    if(is_grantable = 'YES', ' with grant option', ''), ';')
  from information_schema.user_privileges where @is_other and AS_BYTES(grantee) = AS_BYTES(@grantee)
 group by is_grantable;

select concat('grant ', group_concat(privilege_type separator ', '), ' on ', AS_NAME(table_schema), '.*', ' to ', @account,
    if(is_grantable = 'YES', ' with grant option', ''), ';')
  from information_schema.schema_privileges where @is_other and AS_BYTES(grantee) = AS_BYTES(@grantee)
 group by AS_BYTES(table_schema), is_grantable;

select concat('grant ', group_concat(privilege_type separator ', '), ' on ', AS_NAME(table_schema), '.', AS_NAME(table_name), ' to ', @account,
    if(is_grantable = 'YES', ' with grant option', ''), ';')
  from information_schema.table_privileges where @is_other and AS_BYTES(grantee) = AS_BYTES(@grantee)
   and (AS_BYTES(table_schema), AS_BYTES(table_name))
    in (select AS_BYTES(table_schema), AS_BYTES(table_name) from information_schema.tables)
 group by AS_BYTES(table_schema), AS_BYTES(table_name), is_grantable;

select concat('grant ', group_concat(concat(privilege_type, ' (', AS_NAME(column_name), ')') separator ', '), ' on ', AS_NAME(table_schema), '.', AS_NAME(table_name), ' to ', @account,
    if(is_grantable = 'YES', ' with grant option', ''), ';')
  from information_schema.column_privileges where @is_other and AS_BYTES(grantee) = AS_BYTES(@grantee)
   and (AS_BYTES(table_schema), AS_BYTES(table_name), AS_BYTES(column_name))
    in (select AS_BYTES(table_schema), AS_BYTES(table_name), AS_BYTES(column_name) from information_schema.columns)
 group by AS_BYTES(table_schema), AS_BYTES(table_name), is_grantable;
select concat('grant ', replace(replace(proc_priv, ',Grant', ''), 'Grant', 'usage'), ' on ', routine_type, ' ',
    AS_NAME(db), '.', AS_NAME(routine_name), ' to ', @account,
    if(find_in_set('Grant', proc_priv), ' with grant option', ''), ';')
  from mysql.procs_priv where @is_other and AS_BYTES(user) = AS_BYTES(@old_user) and host = '%'
   and (AS_BYTES(db), AS_BYTES(routine_name))
    in (select AS_BYTES(routine_schema), AS_BYTES(routine_name) from information_schema.routines);
select concat('grant proxy on ', AS_NAME(proxied_user), '@', AS_NAME(proxied_host), ' to ', @account,
    if(with_grant, ' with grant option', ''), ';')
  from mysql.proxies_priv where @is_other and AS_BYTES(user) = AS_BYTES(@old_user) and host = '%';
