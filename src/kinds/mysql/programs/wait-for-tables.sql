-- Prints one statement per table. Each statement waits until no other session locks the table. A foreign table is not read,
-- because its server can be away.
set names utf8mb4; set session sql_mode = '';
select concat('select 1 from ', AS_NAME(table_name), ' limit 0;') from information_schema.tables
 where cast(table_schema as binary) = cast(database() as binary) and table_type in ('BASE TABLE', 'SYSTEM VERSIONED')
   and coalesce(engine, '') not in ({{foreignEngines}});
