-- @is_clear: whether passwords must be set in clear text, because the plugin of an account or a plugin that checks
-- passwords accepts no hash. The binary log would store these statements with the password, so they are not logged.
set @is_clear = exists (select * from information_schema.plugins
    where plugin_type = 'PASSWORD VALIDATION' and plugin_status = 'ACTIVE')
  or exists (select * from mysql.user where plugin in ('ed25519', 'parsec')
    and (AS_BYTES(user) = AS_BYTES(@user) or AS_BYTES(user) = AS_BYTES(@old_user) or user = 'root'));
