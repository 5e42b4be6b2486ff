-- Prints the statement that grants the new user all privileges on the new database. The name in a grant is a pattern,
-- so the special characters of patterns are escaped.
select concat('grant all privileges on `', replace(replace(replace(replace(convert(@database using utf8mb4) collate utf8mb4_bin, '\\', '\\\\'), '_', '\\_'), '%', '\\%'), '`', '``'), '`.* to ', @account, ';')
  from dual where @is_database;
