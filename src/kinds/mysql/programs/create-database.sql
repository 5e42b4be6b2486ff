-- Creates the database. The caller puts the name, in hexadecimal digits, in place of the question mark.
set names utf8mb4; set session sql_mode = '';
set @berth = concat('create database if not exists ', AS_NAME(x'?'));
prepare berth from @berth;
execute berth;
