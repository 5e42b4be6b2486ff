-- Sets the variables that the other rotate programs use. Texts are compared as bytes, because comparisons of text
-- depend on collations.

set @account = concat(AS_NAME(@user), '@`%`');
set @old_account = concat(AS_NAME(@old_user), '@`%`');
set @grantee = concat('''', @old_user, '''@''%''');
set @is_other = not AS_BYTES(@user) = AS_BYTES(@old_user);
set @is_password = @is_other or not AS_BYTES(@password) = AS_BYTES(@old_password);
set @is_root = not AS_BYTES(@root_password) = AS_BYTES(@old_root_password);
set @is_database = not AS_BYTES(@database) = AS_BYTES(@old_database);
