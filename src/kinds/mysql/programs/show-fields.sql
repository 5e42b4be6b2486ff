-- Prints the statement with which the dump program reads the columns of the view whose name is in @view.
set names utf8mb4; set session sql_mode = '';
select concat('show fields from ', AS_NAME(@view), ';');
