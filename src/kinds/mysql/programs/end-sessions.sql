-- Prints statements that end all other sessions in the database.
select concat('kill ', id, ';') from information_schema.processlist
 where cast(db as binary) = cast(database() as binary) and id <> connection_id();
