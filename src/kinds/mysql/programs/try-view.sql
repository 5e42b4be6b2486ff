-- Fails if a restore could not create the view whose name is in @view. Its definition names the tables and columns that it
-- reads. To prepare the definition, the server looks all of them up, and reads no row.
set names utf8mb4; set session sql_mode = '';
set @definition = (select view_definition from information_schema.views
 where cast(table_schema as binary) = cast(database() as binary) and AS_BYTES(table_name) = @view);
set @definition = coalesce(@definition, 'do 0');
prepare berth from @definition;
