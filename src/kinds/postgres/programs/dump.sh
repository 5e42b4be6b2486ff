# Usage: dump.sh OPTIONS_SQL EXISTS_SQL FAULTS_SQL. Writes the dump to standard output. The archive has no place for
# findings, so they are the last lines of standard error. Fails if another session locks a table too long. After a failure,
# the script checks whether the database exists.

# If this fails, the dump fails too, with a better message.
faults=$(printf '%s\n' "$2" | psql -X -q -A -t -w 2>/dev/null)
# The archive has the encoding of the database: any other can lack its characters.
encoding=$(run_sql 'SHOW server_encoding' "$PGDATABASE" 2>/dev/null)
PGCLIENTENCODING=${encoding:-UTF8} \
  pg_dump --no-password --format=custom --compress=0 --lock-wait-timeout="$BERTH_LOCK_MS" && {
  [ -z "$faults" ] || printf '%s\n' "$faults" >&2
  exit 0
}
exists=$(run_sql "$1") || exit 1
[ -n "$exists" ] || exit {{missingStatus}}
exit 1
