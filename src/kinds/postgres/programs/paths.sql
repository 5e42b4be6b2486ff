-- Prints the paths of the folders that the server needs after a crash. Each can be a symbolic link, as each tablespace is.
-- The folders of logs and temporary files are not among them. pg_xlog and pg_clog are the names before version 10. Only
-- superusers can read data_directory. Another user can own an existing database only, whose folder PGDATA names.
select coalesce((select setting from pg_settings where name = 'data_directory'), '{{dataPath}}') || folder
from unnest(array[
  '', '/base', '/base/[0-9]*', '/global', '/pg_wal', '/pg_xlog', '/pg_xact', '/pg_clog', '/pg_multixact', '/pg_commit_ts',
  '/pg_subtrans', '/pg_twophase', '/pg_logical', '/pg_replslot', '/pg_tblspc', '/pg_tblspc/*'
]) as folder;
