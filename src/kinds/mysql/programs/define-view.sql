-- Prints the statement that creates the view whose name is in @view. The statement `show create view` refuses some views.
set names utf8mb4; set session sql_mode = '';
select concat('CREATE DEFINER=', AS_NAME(substring_index(definer, '@', 1)), '@', AS_NAME(substring_index(definer, '@', -1)),
    ' SQL SECURITY ', security_type, ' VIEW ', AS_NAME(table_name), ' AS ', view_definition,
    if(check_option = 'NONE', '', concat(' WITH ', check_option, ' CHECK OPTION')), ';')
  from information_schema.views
 where cast(table_schema as binary) = cast(database() as binary) and AS_BYTES(table_name) = @view;
