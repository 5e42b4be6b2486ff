-- Creates the database. restore.sh replaces the question mark by the name in hexadecimal digits.
set names utf8mb4; set session sql_mode = '';
set @berth = concat('create database if not exists ', AS_NAME(x'?'));
prepare berth from @berth;
execute berth;
