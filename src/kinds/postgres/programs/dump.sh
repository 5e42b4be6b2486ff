# Usage: dump.sh EXISTS_SQL. Writes the dump to standard output. Fails if another session locks a table too long. After
# a failure, the script checks whether the database exists.

unset PGSERVICE PGHOSTADDR
PGPASSWORD=$(cat {{secretPath}}) || exit 1
export PGPASSWORD

BERTH_DATABASE=$PGDATABASE
export BERTH_DATABASE
(
  unset PGCLIENTENCODING
  exec pg_dump --no-password --format=custom --compress=0 --lock-wait-timeout="$BERTH_LOCK_MS"
) && exit 0
exists=$(printf '%s\n' "$1" | PGDATABASE=template1 psql -X -q -A -t -w) || exit 1
[ -n "$exists" ] || exit {{missingStatus}}
exit 1
