-- Creates the database and the new user. The new user gets a random password and the limits of the old user.


set @statement = concat('create database if not exists ', AS_NAME(@database));
prepare statement from @statement;
execute statement;
deallocate prepare statement;




set @statement = if(@is_other, concat('create user if not exists ', @account, coalesce(
    (select concat(' identified', if(plugin in ('caching_sha2_password', 'sha256_password', 'mysql_native_password'), concat(' with ', plugin), ''),
    ' by ', quote(@random)) from mysql.user where AS_BYTES(user) = AS_BYTES(@old_user) and host = '%'),
    concat(' identified', if('' in ('caching_sha2_password', 'sha256_password', 'mysql_native_password'), concat(' with ', ''), ''),
    ' by ', quote(@random)))), 'do 0');
prepare statement from @statement;
execute statement;
deallocate prepare statement;


set @statement = coalesce(
  (select concat('alter user ', @account, ' require ', case ssl_type when 'ANY' then 'ssl' when 'X509' then 'x509' else 'none' end,
    ' with max_queries_per_hour ', max_questions, ' max_updates_per_hour ', max_updates,
    ' max_connections_per_hour ', max_connections, ' max_user_connections ', max_user_connections,
    ' password expire ', coalesce(if(password_lifetime = 0, 'never', concat('interval ', password_lifetime, ' day')),
      'default'), ' account unlock') from mysql.user where @is_other and AS_BYTES(user) = AS_BYTES(@old_user) and host = '%'), 'do 0');
prepare statement from @statement;
execute statement;
deallocate prepare statement;

