-- @is_clear: the binary log keeps statements as they come. Where a password cannot be set as a hash, because of the
-- account's plugin or of one that checks passwords, accounts are changed without that log.
set @is_clear = exists (select * from information_schema.plugins
    where plugin_type = 'PASSWORD VALIDATION' and plugin_status = 'ACTIVE')
  or exists (select * from mysql.user where plugin in ('ed25519', 'parsec')
    and (AS_BYTES(user) = AS_BYTES(@user) or AS_BYTES(user) = AS_BYTES(@old_user) or user = 'root'));
