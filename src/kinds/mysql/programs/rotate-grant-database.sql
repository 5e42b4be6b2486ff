-- Prints the statement that gives the new user the new database. In a grant the name is a pattern, so its signs are
-- escaped.
select concat('grant all privileges on `', replace(replace(replace(replace(convert(@database using utf8mb4) collate utf8mb4_bin, '\\', '\\\\'), '_', '\\_'), '%', '\\%'), '`', '``'), '`.* to ', @account, ';')
  from dual where @is_database;
