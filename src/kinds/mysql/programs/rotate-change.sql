-- Changes all passwords in one statement, then locks the old account in another statement. The old account is not
-- dropped, because objects can name it as their definer.


set @changed = (select group_concat(concat(AS_NAME(user), '@', AS_NAME(host), concat(' identified', if(plugin in ('caching_sha2_password', 'sha256_password', 'mysql_native_password'), concat(' with ', plugin), ''),
    ' by ', quote(
      case when user = 'root' then @root_password when AS_BYTES(user) = AS_BYTES(@user) then @password else @random end)))
    separator ', ')
  from mysql.user
 where (@is_password and host = '%' and AS_BYTES(user) = AS_BYTES(@user))
    or (@is_other and AS_BYTES(user) = AS_BYTES(@old_user) and host = '%')
    or (@is_root and user = 'root' and host = '%')
    or (@is_root and user = 'root' and host in ('localhost', '127.0.0.1', '::1') and plugin in ('caching_sha2_password', 'sha256_password', 'mysql_native_password')));

set @statement = if(@changed is null, 'do 0', concat('alter user ', @changed));
prepare statement from @statement;
execute statement;
deallocate prepare statement;


set @statement = if(@is_other and (select count(*) from mysql.user where AS_BYTES(user) = AS_BYTES(@old_user) and host = '%') > 0,
  concat('alter user ', @old_account, ' account lock'), 'do 0');
prepare statement from @statement;
execute statement;
deallocate prepare statement;

