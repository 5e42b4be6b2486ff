# Usage: dump.sh EXISTS_SQL FAULTS_SQL. Writes the dump to standard output. The archive has no place for findings, so they
# are the last lines of standard error. Fails if another session locks a table too long. After a failure, the script checks
# whether the database exists.

unset PGSERVICE PGHOSTADDR
PGPASSWORD=$(cat {{secretPath}}) || exit 1
export PGPASSWORD

BERTH_DATABASE=$PGDATABASE
export BERTH_DATABASE
# If this fails, the dump fails too, with a better message.
faults=$(printf '%s\n' "$2" | psql -X -q -A -t -w 2>/dev/null)
(
  unset PGCLIENTENCODING
  exec pg_dump --no-password --format=custom --compress=0 --lock-wait-timeout="$BERTH_LOCK_MS"
) && {
  [ -z "$faults" ] || printf '%s\n' "$faults" >&2
  exit 0
}
exists=$(printf '%s\n' "$1" | PGDATABASE=template1 psql -X -q -A -t -w) || exit 1
[ -n "$exists" ] || exit {{missingStatus}}
exit 1
