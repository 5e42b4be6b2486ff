-- Makes Berth's own account (@own, @own_password), or gives it its password and its rights again. The account belongs to
-- this server, so the binary log does not contain it. A plugin that checks passwords refuses hashes. Runs after
-- rotate-session.sql.

set session sql_log_bin = 0;
set @account = concat(AS_NAME(@own), '@`%`');
set @is_clear = exists (select * from information_schema.plugins
  where plugin_type = 'PASSWORD VALIDATION' and plugin_status = 'ACTIVE');
set @identified = concat(' identified via mysql_native_password using ',
  if(@is_clear, concat('password(', quote(@own_password), ')'), quote(password(@own_password))));

set @statement = concat('create user if not exists ', @account, @identified);
prepare statement from @statement;
execute statement;
deallocate prepare statement;

set @statement = concat('alter user ', @account, @identified,
  ' require none with max_queries_per_hour 0 max_updates_per_hour 0 max_connections_per_hour 0 max_user_connections 0',
  ' max_statement_time 0 account unlock password expire never');
prepare statement from @statement;
execute statement;
deallocate prepare statement;

set @statement = concat('grant all privileges on *.* to ', @account, ' with grant option');
prepare statement from @statement;
execute statement;
deallocate prepare statement;
