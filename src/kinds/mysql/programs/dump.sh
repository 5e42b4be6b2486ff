# Usage: dump.sh DEFAULTS_SQL ACCOUNTS_SQL SHOW_GRANTS_SQL TABLES_SQL. Writes the dump to standard output, and locks no
# table. The dump fails if a definition changes during the dump, or if another session locks a table too long. Each
# grant is a statement of the server in hexadecimal digits. Error 1049 means unknown database. Source:
# dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html.
MYSQL_PWD=$(cat {{secretPath}}) || exit 1
export MYSQL_PWD
as_admin() {
  log_in --user="$BERTH_ADMIN" --init-command="$BERTH_SESSION" --database="$BERTH_DATABASE" --max-allowed-packet=1G "$@"
}

dump=$({{findDump}}) || {
  echo 'The image contains no dump program (mysqldump or mariadb-dump)' >&2
  exit 1
}
refusal=$(as_admin -e 'do 1' 2>&1) || {
  printf '%s\n' "$refusal" >&2
  case $refusal in
    *'ERROR 1049 '*) exit {{missingStatus}} ;;
  esac
  exit 1
}
tables=$(printf '%s\n' "$4" | as_admin) || exit 1
printf 'set session lock_wait_timeout = %s;\n%s\n' "$BERTH_LOCK_SECONDS" "$tables" | as_admin >/dev/null || {
  echo 'Cannot read all tables. Another session may lock a table, for example with LOCK TABLES or ALTER TABLE' >&2
  exit 1
}
as_admin -e "$1" || exit 1
"$dump" --no-defaults --host="$BERTH_HOST" --port="$BERTH_PORT" --protocol=TCP --user="$BERTH_ADMIN" {{dumpOptions}} \
  --default-character-set=utf8mb4 --max-allowed-packet=1G --single-transaction --quick --skip-lock-tables \
  --skip-add-locks --complete-insert --hex-blob --routines --triggers --events --no-tablespaces --skip-dump-date \
  -- "$BERTH_DATABASE" || {
  case $BERTH_DATABASE in
    *[\'\"\\]*) echo 'Cannot dump routines and events of a database that has a quote or backslash in its name' >&2 ;;
  esac
  exit 1
}
hex() {
  printf %s "$1" | od -An -v -tx1 | tr -d ' \n'
}
accounts=$(printf '%s\n' "$2" | as_admin) || exit 1
show_grants=$(printf '%s\n' "$3" | as_admin) || exit 1
grants=$(printf '%s\n' "$show_grants" | as_admin) || exit 1
name=$(hex "$BERTH_DATABASE")
tick=$(printf '\140')
plain=$(printf '%s\n' "$BERTH_DATABASE" | sed "s/$tick/&&/g")
pattern=$(printf '%s\n' "$plain" | sed 's/[\\_%]/\\&/g')
printf '%s\n' "$accounts" "$grants" | while IFS= read -r line; do
  case $line in
    'CREATE '*) ;;
    *" ON $tick$plain$tick."* | *" ON $tick$pattern$tick."*) ;;
    *" ON PROCEDURE $tick$plain$tick."* | *" ON FUNCTION $tick$plain$tick."*) ;;
    *" ON PACKAGE $tick$plain$tick."* | *" ON PACKAGE BODY $tick$plain$tick."*) ;;
    *) continue ;;
  esac
  printf "SET @berth_grant = if(cast(database() as binary) = x'%s', convert(x'%s' using utf8mb4), 'do 0');\n" \
    "$name" "$(hex "$line")" || exit 1
  printf 'PREPARE berth FROM @berth_grant;\nEXECUTE berth;\nDEALLOCATE PREPARE berth;\n' || exit 1
done || exit 1
printf '%s\n' "{{completeMark}}"
