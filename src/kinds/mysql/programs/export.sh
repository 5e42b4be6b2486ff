# Usage: export.sh TABLES_SQL SETTINGS_SQL. Prints statements that give another server of the same version the same accounts,
# privileges, plugins and settings: they replace the rows of the tables of the database mysql that have these.
MYSQL_PWD=$(cat {{secretPath}}) || exit 1
export MYSQL_PWD
as_admin() {
  log_in --user="$BERTH_ADMIN" --init-command="$BERTH_SESSION" "$@"
}

dump=$({{findDump}}) || {
  echo 'The image contains no dump program (mysqldump or mariadb-dump)' >&2
  exit 1
}
tables=$(as_admin -e "$1") || exit 1
settings=$(printf '%s\n' "$2" | as_admin) || exit 1
echo 'SET SESSION autocommit = 0;'
for table in $tables; do
  printf 'DELETE FROM %s;\n' "$table"
done
"$dump" --no-defaults --host="$BERTH_HOST" --port="$BERTH_PORT" --protocol=TCP --user="$BERTH_ADMIN" {{dumpOptions}} \
  --default-character-set=utf8mb4 --max-allowed-packet=1G --single-transaction --no-create-info --skip-triggers \
  --skip-lock-tables --skip-add-locks --skip-disable-keys --complete-insert --hex-blob --no-tablespaces \
  --skip-dump-date -- mysql $tables || exit 1
printf 'COMMIT;\nFLUSH PRIVILEGES;\n%s\n%s\n' "$settings" "{{completeMark}}"
