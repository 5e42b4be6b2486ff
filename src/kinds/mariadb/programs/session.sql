-- Begins each session of a dump or a restore. One statement, for the option --init-command of the client.
set session tx_read_only = 0, autocommit = 1, sql_mode = '', innodb_strict_mode = 0, lock_wait_timeout = 60,
  wait_timeout = 86400, net_read_timeout = 3600, net_write_timeout = 3600, max_statement_time = 0,
  idle_transaction_timeout = 0, idle_write_transaction_timeout = 0, check_constraint_checks = 0
