-- Runs at the start of each session. Turns off the general log first, then the slow log and the recording of statements
-- in the performance schema, because the next statements contain passwords.

set session sql_log_off = 1;
set session long_query_time = 31536000, session min_examined_row_limit = 4294967295;
set session sql_mode = '', session autocommit = 1, session sql_safe_updates = 0, session sql_big_selects = 1,
  session sql_select_limit = 18446744073709551615, session group_concat_max_len = 1048576,
  session lock_wait_timeout = 10;
set names utf8mb4;
update performance_schema.threads set instrumented = 'NO' where processlist_id = connection_id();
