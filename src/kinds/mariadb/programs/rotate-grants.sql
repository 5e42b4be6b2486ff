-- Prints statements that give the new user the roles and the default role of the old user.
select concat('grant ', AS_NAME(role), ' to ', @account, if(admin_option = 'Y', ' with admin option', ''), ';')
  from mysql.roles_mapping where @is_other and AS_BYTES(user) = AS_BYTES(@old_user) and host = '%';
select concat('set default role ', AS_NAME(default_role), ' for ', @account, ';')
  from mysql.user where @is_other and AS_BYTES(user) = AS_BYTES(@old_user) and host = '%'
   and default_role in (select role from mysql.roles_mapping where AS_BYTES(user) = AS_BYTES(@old_user) and host = '%');
