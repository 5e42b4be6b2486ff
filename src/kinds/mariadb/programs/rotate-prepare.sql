-- Creates the database and the new user. The new user gets a random password and the limits of the old user.


set @statement = concat('create database if not exists ', AS_NAME(@database));
prepare statement from @statement;
execute statement;
deallocate prepare statement;

set session sql_log_bin = if(@is_clear, 0, @@session.sql_log_bin);

set @statement = if(@is_clear and @is_password, concat('create or replace user ', AS_NAME(@user), '@', AS_NAME(concat('berth-', right(@random, 16))),
  ' identified via mysql_native_password using password(', quote(@password), ') account lock'), 'do 0');
prepare statement from @statement;
execute statement;
deallocate prepare statement;

set @statement = if(@is_clear and @is_password, concat('drop user ', AS_NAME(@user), '@', AS_NAME(concat('berth-', right(@random, 16)))), 'do 0');
prepare statement from @statement;
execute statement;
deallocate prepare statement;

set @statement = if(@is_clear and @is_root, concat('create or replace user ', AS_NAME('root'), '@', AS_NAME(concat('berth-', right(@random, 16))),
  ' identified via mysql_native_password using password(', quote(@root_password), ') account lock'), 'do 0');
prepare statement from @statement;
execute statement;
deallocate prepare statement;

set @statement = if(@is_clear and @is_root, concat('drop user ', AS_NAME('root'), '@', AS_NAME(concat('berth-', right(@random, 16)))), 'do 0');
prepare statement from @statement;
execute statement;
deallocate prepare statement;


set @statement = if(@is_other, concat('create user if not exists ', @account, coalesce(
    (select concat(' identified via ',
    if(plugin in ('ed25519', 'parsec'), plugin, 'mysql_native_password'), ' using ',
    if(@is_clear, concat('password(', quote(@random), ')'), quote(password(@random)))) from mysql.user where AS_BYTES(user) = AS_BYTES(@old_user) and host = '%'),
    concat(' identified via ',
    if('' in ('ed25519', 'parsec'), '', 'mysql_native_password'), ' using ',
    if(@is_clear, concat('password(', quote(@random), ')'), quote(password(@random)))))), 'do 0');
prepare statement from @statement;
execute statement;
deallocate prepare statement;


set @statement = coalesce(
  (select concat('alter user ', @account, ' require ', case ssl_type when 'ANY' then 'ssl' when 'X509' then 'x509' else 'none' end,
    ' with max_queries_per_hour ', max_questions, ' max_updates_per_hour ', max_updates,
    ' max_connections_per_hour ', max_connections, ' max_user_connections ', max_user_connections,
    ' max_statement_time ', max_statement_time, ' account unlock password expire ',
    (select case coalesce(json_value(priv, '$.password_lifetime'), -1) when -1 then 'default' when 0 then 'never'
        else concat('interval ', json_value(priv, '$.password_lifetime'), ' day') end
      from mysql.global_priv where global_priv.user = mysql.user.user and global_priv.host = mysql.user.host)) from mysql.user where @is_other and AS_BYTES(user) = AS_BYTES(@old_user) and host = '%'), 'do 0');
prepare statement from @statement;
execute statement;
deallocate prepare statement;

