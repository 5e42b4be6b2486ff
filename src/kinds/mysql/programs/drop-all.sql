-- Prints statements that drop all tables, views, sequences, routines and events. A table of the engine S3 is in a bucket,
-- where another server with the same bucket finds it under the same name, so it stays.
set names utf8mb4; set session sql_mode = '', group_concat_max_len = 1048576;
select 'set foreign_key_checks = 0; set session lock_wait_timeout = 60;';
select concat('drop ', case table_type when 'VIEW' then 'view' when 'SEQUENCE' then 'sequence' else 'table' end,
    ' if exists ', AS_NAME(table_name), ';')
  from information_schema.tables where cast(table_schema as binary) = cast(database() as binary)
   and coalesce(engine, '') <> 'S3';
select concat('drop ', routine_type, ' if exists ', AS_NAME(routine_name), ';')
  from information_schema.routines where cast(routine_schema as binary) = cast(database() as binary) order by routine_type desc;
select concat('drop event if exists ', AS_NAME(event_name), ';')
  from information_schema.events where cast(event_schema as binary) = cast(database() as binary);
