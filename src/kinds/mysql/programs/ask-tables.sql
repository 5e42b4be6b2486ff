-- Prints statements that each wait for the lock of one table.
set names utf8mb4; set session sql_mode = '';
select concat('select 1 from ', AS_NAME(table_name), ' limit 0;') from information_schema.tables
 where cast(table_schema as binary) = cast(database() as binary) and table_type in ('BASE TABLE', 'SYSTEM VERSIONED');
