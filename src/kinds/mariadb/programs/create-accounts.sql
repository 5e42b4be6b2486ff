-- Prints statements that create all accounts that have a grant in the database or are the definer of an object, except
-- root. The accounts are locked, and their password hash matches no password. An account without a host is a role. A
-- server with a plugin that checks passwords accepts a hash only without strict_password_validation, so a restore sets this.
set names utf8mb4 collate utf8mb4_bin; set session sql_mode = '';
select if(host = '', if(user = 'PUBLIC', 'do 0', concat('CREATE ROLE IF NOT EXISTS ', AS_NAME(user))),
  concat('CREATE USER IF NOT EXISTS ', AS_NAME(user), '@', AS_NAME(host),
    ' IDENTIFIED VIA mysql_native_password USING ''*THISISNOTAVALIDPASSWORDTHATCANBEUSEDHERE'' ACCOUNT LOCK')) from (
  select user, host from mysql.db where cast(database() as binary) in
  (cast(db as binary), cast(replace(replace(db, '\\_', '_'), '\\%', '%') as binary))
  union select user, host from mysql.tables_priv where cast(database() as binary) in
  (cast(db as binary), cast(replace(replace(db, '\\_', '_'), '\\%', '%') as binary))
  union select user, host from mysql.procs_priv where cast(database() as binary) in
  (cast(db as binary), cast(replace(replace(db, '\\_', '_'), '\\%', '%') as binary))
  union select user, host from mysql.user where user <> 'root' and AS_BYTES(concat(user, '@', host)) in (
    select AS_BYTES(definer) from information_schema.views where cast(table_schema as binary) = cast(database() as binary)
    union select AS_BYTES(definer) from information_schema.triggers
     where cast(trigger_schema as binary) = cast(database() as binary)
    union select AS_BYTES(definer) from information_schema.routines
     where cast(routine_schema as binary) = cast(database() as binary)
    union select AS_BYTES(definer) from information_schema.events
     where cast(event_schema as binary) = cast(database() as binary))) as granted order by user, host;
