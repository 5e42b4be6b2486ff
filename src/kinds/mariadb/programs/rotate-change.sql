-- Changes all passwords in one statement, then locks the old account. MariaDB cannot lock an account in the same
-- statement. The old account is not dropped, because objects can name it as their definer.

set session sql_log_bin = if(@is_clear, 0, @@session.sql_log_bin);
set @changed = (select group_concat(concat(AS_NAME(user), '@', AS_NAME(host), concat(' identified via ',
    if(plugin in ('ed25519', 'parsec'), plugin, 'mysql_native_password'), ' using ',
    if(@is_clear, concat('password(', quote(
      case when user = 'root' then @root_password when AS_BYTES(user) = AS_BYTES(@user) then @password else @random end), ')'), quote(password(
      case when user = 'root' then @root_password when AS_BYTES(user) = AS_BYTES(@user) then @password else @random end)))))
    separator ', ')
  from mysql.user
 where (@is_password and host = '%' and AS_BYTES(user) = AS_BYTES(@user))
    or (@is_other and AS_BYTES(user) = AS_BYTES(@old_user) and host = '%')
    or (@is_root and user = 'root' and host = '%')
    or (@is_root and user = 'root' and host in ('localhost', '127.0.0.1', '::1') and (plugin in ('', 'mysql_native_password') or plugin in ('ed25519', 'parsec')) and not exists (select * from mysql.global_priv
    where global_priv.user = mysql.user.user and global_priv.host = mysql.user.host
      and json_exists(priv, '$.auth_or'))));

set @statement = if(@changed is null, 'do 0', concat('alter user ', @changed));
prepare statement from @statement;
execute statement;
deallocate prepare statement;


set @statement = if(@is_other and (select count(*) from mysql.user where AS_BYTES(user) = AS_BYTES(@old_user) and host = '%') > 0,
  concat('alter user ', @old_account, ' account lock'), 'do 0');
prepare statement from @statement;
execute statement;
deallocate prepare statement;

