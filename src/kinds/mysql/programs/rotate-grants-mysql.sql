-- Prints statements that give the new user the roles, default roles and partial revokes of the old user.
select concat('grant ', AS_NAME(from_user), '@', AS_NAME(from_host), ' to ', @account,
    if(with_admin_option = 'Y', ' with admin option', ''), ';')
  from mysql.role_edges where @is_other and to_host = '%' and AS_BYTES(to_user) = AS_BYTES(@old_user) and not AS_BYTES(from_user) = AS_BYTES(@user);
select concat('alter user ', @account, ' default role ',
    group_concat(AS_NAME(default_role_user), '@', AS_NAME(default_role_host) separator ', '), ';')
  from mysql.default_roles where @is_other and AS_BYTES(user) = AS_BYTES(@old_user) and host = '%'
having count(*) > 0;
select concat('revoke ', replace(replace(replace(revoked, '["', ''), '"]', ''), '"', ''), ' on ',
    AS_NAME(restricted), '.* from ', @account, ';')
  from mysql.user, json_table(user_attributes, '$.Restrictions[*]'
    columns (restricted varchar(64) path '$.Database', revoked json path '$.Privileges')) as restrictions
 where @is_other and AS_BYTES(user) = AS_BYTES(@old_user) and host = '%';
