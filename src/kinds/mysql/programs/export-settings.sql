-- Prints statements that record the settings of SET PERSIST. The server has them after its next start. The settings of
-- components are left out: a server without the component does not know them.
set names utf8mb4; set session sql_mode = '';
select concat('SET PERSIST_ONLY ', AS_NAME(variable_name), ' = ',
    if(variable_value regexp '^-?[0-9]+(\\.[0-9]+)?$', variable_value, quote(variable_value)), ';')
  from performance_schema.persisted_variables where variable_name not like '%.%';
