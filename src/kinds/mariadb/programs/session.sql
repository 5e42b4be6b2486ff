-- Begins each session of a dump or a restore. One statement, for the option --init-command of the client.
set session tx_read_only = 0, autocommit = 1, sql_mode = '', innodb_strict_mode = 0, lock_wait_timeout = 60,
  wait_timeout = 86400, net_read_timeout = 3600, net_write_timeout = 3600, max_statement_time = 0,
  idle_transaction_timeout = 0, idle_write_transaction_timeout = 0, check_constraint_checks = 0, completion_type = 0,
  sql_select_limit = 18446744073709551615, sql_safe_updates = 0, sql_big_selects = 1, group_concat_max_len = 1048576
  /*M!100304 , system_versioning_asof = default */ /*M!100304 , enforce_storage_engine = null */
