# Usage: dump.sh DEFAULTS_SQL ACCOUNTS_SQL SHOW_GRANTS_SQL TABLES_SQL CHECK_VIEWS_SQL TRY_VIEW_SQL SHOW_FIELDS_SQL
# DEFINE_VIEW_SQL FAULTS_SQL LIMITS_SQL OWN_FILES_SQL ARCHIVES_SQL. Writes the dump to standard output, and locks no table. The
# dump fails if a definition changes during the dump, or if another session locks a table too long. Views that the server refuses to
# read are left out, and comments have their definitions. Each grant is a statement of the server in hexadecimal digits.
# Error 1049 means unknown database.
# Source: dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html.
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
# These settings hide rows and tables from the dump program, unless it can change them for its session.
if ! "$dump" --no-defaults --help 2>/dev/null | grep -q -e ' --init-command'; then
  limits=$(as_admin -e "${10}") || exit 1
  for name in $limits; do
    echo "The setting $name of the server hides data from $dump. Run SET GLOBAL $name = DEFAULT, and remove it from the command" >&2
  done
  [ -z "$limits" ] || exit 1
fi
tables=$(printf '%s\n' "$4" | as_admin) || exit 1
printf 'set session lock_wait_timeout = %s;\n%s\n' "$BERTH_LOCK_SECONDS" "$tables" | as_admin >/dev/null || {
  echo 'Cannot read all tables. Another session may lock a table, for example with LOCK TABLES or ALTER TABLE' >&2
  exit 1
}
database=$(hex "$BERTH_DATABASE")
tick=$(printf '\140')
plain=$(printf '%s\n' "$BERTH_DATABASE" | sed "s/$tick/&&/g")
pattern=$(printf '%s\n' "$plain" | sed 's/[\\_%]/\\&/g')
accounts=$(printf '%s\n' "$2" | as_admin) || exit 1
show_grants=$(printf '%s\n' "$3" | as_admin) || exit 1
grants=$(printf '%s\n' "$show_grants" | as_admin) || exit 1

printf -- '-- Berth: Database %s\n' "$database"
as_admin -e "$1" || exit 1
faults=$(printf '%s\n' "$9" | as_admin) || exit 1
archives=$(as_admin -e "${12}") || exit 1
run=run_dump
[ -z "$archives" ] || run=dump_archives
own_files=$(tables_with_own_file "${11}") || exit 1
for table in $own_files; do
  faults=$(printf '%s\n' "$faults" | grep -v "^RowsElsewhere TABLE $table ")
done
[ -z "$faults" ] || printf '%s\n' "$faults" | sed 's/^/-- Berth: /'
views=$(suspect_views "$5") || exit 1
try=$6
show_fields=$7
define=$8
needing=$(printf '%s\n' "$faults" | sed -n 's/^DatabaseNeeded VIEW \([0-9A-F]*\) .*/\1/p' | uniq)
set --
for view in $views; do
  refusal=$(try_view "$view" "$try" "$show_fields") && continue
  write_broken_view "$view" "$refusal" "$define" || exit 1
  needing=$(printf '%s\n' "$needing" | grep -vx "$view")
  name=$(about_view "$view" 'select convert(@view using utf8mb4)') || exit 1
  set -- "$@" "--ignore-table=$BERTH_DATABASE.$name"
done
for view in $needing; do
  name=$(about_view "$view" 'select convert(@view using utf8mb4)') || exit 1
  set -- "$@" "--ignore-table=$BERTH_DATABASE.$name"
done

before=$(hex " ON $tick$plain$tick.$tick")
behind=$(hex "$tick TO ")
needing_names=$(for view in $needing; do hex_quoted "$view" && echo; done)
# Usage: write_grants database|objects|needing. Writes the accounts with the grants in the whole database, the grants for single
# objects, or those for the views that need other databases.
write_grants() {
  printf '%s\n' "$accounts" "$grants" | while IFS= read -r line; do
    digits=$(hex "$line")
    case $line in
      'CREATE '*) part=database ;;
      *" ON $tick$plain$tick.* TO "* | *" ON $tick$pattern$tick.* TO "*) part=database ;;
      *" ON $tick$plain$tick."* | *" ON $tick$pattern$tick."*) part=objects ;;
      *" ON PROCEDURE $tick$plain$tick."* | *" ON FUNCTION $tick$plain$tick."*) part=objects ;;
      *" ON PACKAGE $tick$plain$tick."* | *" ON PACKAGE BODY $tick$plain$tick."*) part=objects ;;
      *) continue ;;
    esac
    for view in $needing_names; do
      case $digits in
        *"$before$view$behind"*) part=needing ;;
      esac
    done
    [ "$part" = "$1" ] || continue
    printf "SET @berth_grant = if(cast(database() as binary) = x'%s', convert(x'%s' using utf8mb4), 'do 0');\n" \
      "$database" "$digits" || exit 1
    printf 'PREPARE berth FROM @berth_grant;\nEXECUTE berth;\nDEALLOCATE PREPARE berth;\n' || exit 1
  done
}
run_dump() {
  "$dump" --no-defaults --host="$BERTH_HOST" --port="$BERTH_PORT" --protocol=TCP --user="$BERTH_ADMIN" {{dumpOptions}} \
    --default-character-set=utf8mb4 --max-allowed-packet=1G --single-transaction --quick --skip-lock-tables \
    --skip-add-locks --complete-insert --hex-blob --no-tablespaces --skip-dump-date "$@"
}

# Passes on standard input. An ARCHIVE table refuses rows below its next number, which it derives from its rows anyway.
without_next_number() {
  LC_ALL=C sed 's/^\() ENGINE=ARCHIVE\) AUTO_INCREMENT=[0-9]*/\1/'
}
# Usage: dump_archives OPTION.... Like run_dump.
dump_archives() {
  exec 3>&1
  status=$({ { run_dump "$@" 4>&-; echo $? >&4; } | without_next_number >&3; } 4>&1) || return 1
  exec 3>&-
  return "$status"
}

# Views can need the grants in the whole database.
write_grants database || exit 1
"$run" --routines --triggers --events "$@" -- "$BERTH_DATABASE" || {
  case $BERTH_DATABASE in
    *[\'\"\\]*) echo 'Cannot dump routines and events of a database that has a quote or backslash in its name' >&2 ;;
  esac
  exit 1
}
if [ -n "$own_files" ]; then
  set -- "$BERTH_DATABASE"
  for table in $own_files; do
    name=$(about_view "$table" 'select convert(@view using utf8mb4)') || exit 1
    set -- "$@" "$name"
  done
  run_dump --no-create-info --skip-triggers --skip-no-data-med -- "$@" || exit 1
fi
write_grants objects || exit 1
if [ -n "$needing" ]; then
  set -- "$BERTH_DATABASE"
  for view in $needing; do
    name=$(about_view "$view" 'select convert(@view using utf8mb4)') || exit 1
    set -- "$@" "$name"
  done
  echo '{{needingBegin}}'
  run_dump --skip-triggers -- "$@" || exit 1
  write_grants needing || exit 1
  echo '{{needingEnd}}'
fi
printf '%s\n' "{{completeMark}}"
