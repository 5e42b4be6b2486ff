-- Prints two statements for each view. The first prints the name in hexadecimal digits, the second checks the view.
set names utf8mb4; set session sql_mode = '';
select concat('select ''', hex(convert(table_name using utf8mb4)), '''; check table ', AS_NAME(table_name), ';')
  from information_schema.tables
 where cast(table_schema as binary) = cast(database() as binary) and table_type = 'VIEW';
