-- Prints a line for each object whose definer does not exist, for each table whose rows are not on this server, and for each
-- object that names another database of this server: the reason, the type of the object, the name of the object, and the
-- definer, nothing, or the other database. All but the reason and the type are in hexadecimal digits. Programs that run with the rights of their caller need no definer. The
-- word `distinct` makes the server read each list only once.
set names utf8mb4 collate utf8mb4_bin; set session sql_mode = '';
select concat('DefinerMissing ', replace(type, ' ', '_'), ' ', hex(name), ' ', hex(definer)) from (
  select 'VIEW' as type, AS_BYTES(table_name) as name, AS_BYTES(definer) as definer from information_schema.views
   where cast(table_schema as binary) = cast(database() as binary) and security_type = 'DEFINER'
  union all select 'TRIGGER', AS_BYTES(trigger_name), AS_BYTES(definer) from information_schema.triggers
   where cast(trigger_schema as binary) = cast(database() as binary)
  union all select routine_type, AS_BYTES(routine_name), AS_BYTES(definer) from information_schema.routines
   where cast(routine_schema as binary) = cast(database() as binary) and security_type = 'DEFINER'
  union all select 'EVENT', AS_BYTES(event_name), AS_BYTES(definer) from information_schema.events
   where cast(event_schema as binary) = cast(database() as binary)
) as defined where definer not in (select AS_BYTES(concat(user, '@', host)) from mysql.user)
  and definer not in (select AS_BYTES(user) from mysql.user where host = '')
order by 1;
select concat('RowsElsewhere TABLE ', hex(AS_BYTES(table_name)), ' ') from information_schema.tables
 where cast(table_schema as binary) = cast(database() as binary) and engine in ({{foreignEngines}}, 'S3')
 order by 1;
with recursive others as (
  select distinct convert(schema_name using utf8mb4) as other, concat(AS_NAME(schema_name), '.') as prefix
    from information_schema.schemata where cast(schema_name as binary) <> cast(database() as binary)
     and schema_name not in ('mysql', 'information_schema', 'performance_schema', 'sys')
), referable as (
  select other, prefix, concat(prefix, AS_NAME(table_name)) as reference
    from others join information_schema.tables on AS_BYTES(table_schema) = cast(other as binary)
  union all select other, prefix, concat(prefix, AS_NAME(routine_name), '(')
    from others join information_schema.routines on AS_BYTES(routine_schema) = cast(other as binary)
), own as (
  select distinct convert(table_name using utf8mb4) as name, convert(view_definition using utf8mb4) as body
    from information_schema.views where cast(table_schema as binary) = cast(database() as binary)
), needing as (
  select distinct cast(name as char(64)) as name, cast(other as char(64)) as other
    from own join referable on locate(prefix, body) > 0 and locate(reference, body) > 0
  union select own.name, needing.other from needing join own on locate(
      concat(AS_NAME(database()), '.', AS_NAME(needing.name)), own.body) > 0
), programs as (
  select 'TRIGGER' as type, convert(trigger_name using utf8mb4) as name, convert(action_statement using utf8mb4) as body
    from information_schema.triggers where cast(trigger_schema as binary) = cast(database() as binary)
  union all select routine_type, convert(routine_name using utf8mb4), convert(routine_definition using utf8mb4)
    from information_schema.routines where cast(routine_schema as binary) = cast(database() as binary)
  union all select 'EVENT', convert(event_name using utf8mb4), convert(event_definition using utf8mb4)
    from information_schema.events where cast(event_schema as binary) = cast(database() as binary)
)
select distinct concat('DatabaseNeeded ', replace(type, ' ', '_'), ' ', hex(AS_BYTES(name)), ' ', hex(AS_BYTES(other)))
from (
  select 'VIEW' as type, name, other from needing
  union all select 'TABLE', convert(table_name using utf8mb4), convert(unique_constraint_schema using utf8mb4)
    from information_schema.referential_constraints
   where cast(constraint_schema as binary) = cast(database() as binary)
     and cast(unique_constraint_schema as binary) <> cast(database() as binary)
     -- To read the foreign keys of any database, MariaDB connects to the servers of all SPIDER tables, which can be away.
     and not exists (select 1 from information_schema.tables where engine = 'SPIDER')
  union all select type, name, other from programs join others on locate(other, body) > 0
   where locate(prefix, body) > 0 or (other regexp '^[0-9A-Za-z_$]+$'
     and body regexp concat('(^|[^0-9A-Za-z_$.`])', replace(other, '$', '[$]'), '[[:space:]]*[.]'))
) as needed
order by 1;
