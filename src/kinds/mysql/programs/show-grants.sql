-- Prints a SHOW GRANTS statement for each account that has a grant in the database. Names in mysql.db are patterns, so
-- the queries unescape \_ and \%.
set names utf8mb4 collate utf8mb4_bin; set session sql_mode = '';
select concat('show grants for ', quote(user), if(host = '', '', concat('@', quote(host))), ';') from (
  select user, host from mysql.db where cast(database() as binary) in
  (cast(db as binary), cast(replace(replace(db, '\\_', '_'), '\\%', '%') as binary))
  union select user, host from mysql.tables_priv where cast(database() as binary) in
  (cast(db as binary), cast(replace(replace(db, '\\_', '_'), '\\%', '%') as binary))
  union select user, host from mysql.procs_priv where cast(database() as binary) in
  (cast(db as binary), cast(replace(replace(db, '\\_', '_'), '\\%', '%') as binary))) as granted order by user, host;
