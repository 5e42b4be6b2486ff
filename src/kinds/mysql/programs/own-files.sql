-- Prints two statements for each table of the engine CONNECT. The first prints the name in hexadecimal digits, the second the
-- definition. The options of the table are in the definition only: the catalogue would open all tables to tell them.
set names utf8mb4; set session sql_mode = '';
select concat('select ''', hex(AS_BYTES(table_name)), '''; show create table ', AS_NAME(table_name), ';')
  from information_schema.tables
 where cast(table_schema as binary) = cast(database() as binary) and engine = 'CONNECT';
