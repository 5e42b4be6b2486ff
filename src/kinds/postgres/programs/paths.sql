-- Prints the paths of the folders that the server needs after a crash. Each can be a symbolic link. The folders of logs
-- and temporary files are not among them. pg_xlog and pg_clog are the names before version 10. Only superusers can read
-- data_directory. Another user can own an existing database only, whose folder PGDATA names.
with root as (
  select coalesce((select setting from pg_settings where name = 'data_directory'), '{{dataPath}}') as path
)
select path || folder
from root
cross join (
  select unnest(array[
    '', '/base', '/global', '/pg_wal', '/pg_xlog', '/pg_xact', '/pg_clog', '/pg_multixact', '/pg_commit_ts',
    '/pg_subtrans', '/pg_twophase', '/pg_logical', '/pg_replslot', '/pg_tblspc'
  ])
  union all
  select '/base/' || oid from pg_database
  union all
  select '/pg_tblspc/' || oid from pg_tablespace where spcname not in ('pg_default', 'pg_global')
) as needed (folder);
