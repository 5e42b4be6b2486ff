-- Begins each session of a dump or a restore. One statement, for the option --init-command of the client.
set session transaction_read_only = 0, autocommit = 1, sql_mode = '', innodb_strict_mode = 0, lock_wait_timeout = 60,
  wait_timeout = 86400, net_read_timeout = 3600, net_write_timeout = 3600, max_execution_time = 0, completion_type = 0,
  sql_select_limit = 18446744073709551615, sql_safe_updates = 0, sql_big_selects = 1, group_concat_max_len = 1048576
  /*!80013 , sql_require_primary_key = 0 */
  /*!80030 , sql_generate_invisible_primary_key = 0 */
  /*!80400 , restrict_fk_on_non_standard_key = 0 */
