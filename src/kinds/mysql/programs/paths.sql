-- Prints the variables that name files and folders that the server needs after a crash. A server has only some of them.
-- MariaDB ignores the second query, which finds the keys of encrypted tables.
show global variables where variable_name in (
  'datadir', 'innodb_data_home_dir', 'innodb_data_file_path', 'innodb_log_group_home_dir', 'innodb_undo_directory',
  'innodb_doublewrite_dir', 'innodb_directories', 'log_bin_basename', 'log_bin_index', 'relay_log_basename',
  'relay_log_index', 'aria_log_dir_path', 'binlog_directory', 'rocksdb_datadir', 'rocksdb_wal_dir', 'keyring_file_data'
);
/*!80024 select 'keyring', status_value from performance_schema.keyring_component_status
where status_key = 'Data_file' */;
