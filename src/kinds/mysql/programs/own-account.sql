-- Makes Berth's own account (@own, @own_password), or gives it its password and its rights again. The account belongs to
-- this server, so the binary log does not contain it. Runs after rotate-session.sql.

set session sql_log_bin = 0;
set @account = concat(AS_NAME(@own), '@`%`');

set @statement = concat('create user if not exists ', @account, ' identified with caching_sha2_password by ', quote(@own_password),
  ' password history 0 password reuse interval 0 day');
prepare statement from @statement;
execute statement;
deallocate prepare statement;

set @statement = concat('alter user ', @account, ' identified with caching_sha2_password by ', quote(@own_password),
  ' require none with max_queries_per_hour 0 max_updates_per_hour 0 max_connections_per_hour 0 max_user_connections 0',
  ' password expire never account unlock');
prepare statement from @statement;
execute statement;
deallocate prepare statement;

set @statement = concat('grant all privileges on *.* to ', @account, ' with grant option');
prepare statement from @statement;
execute statement;
deallocate prepare statement;
