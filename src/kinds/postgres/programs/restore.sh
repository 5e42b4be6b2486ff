# Usage: restore.sh PREPARE_SQL DROP_SCRATCH_SQL REPLACE_SQL GIVE_AWAY_SQL CALLERS_SQL. Reads a dump from standard
# input. The restore does not wait for the disk, because the rename at the end syncs the data. A client can connect between
# the end of all sessions and the rename. The rename then fails, and the next attempt disconnects this client. If the dump
# cannot be loaded, the columns are named that can be the cause.

unset PGSERVICE PGHOSTADDR
PGPASSWORD=$(cat {{secretPath}}) || exit 1
export PGPASSWORD

BERTH_DATABASE=$PGDATABASE
export BERTH_DATABASE
run_sql() {
  printf '%s\n' "$1" | PGDATABASE=template1 psql -X -q -A -t -w
}
scratch=$(run_sql "$1") || exit 1
if [ "$scratch" = bound ]; then
  echo 'Drop the subscription or replication slot of the database first, because a restore replaces the database' >&2
  exit 1
fi
trap 'run_sql "$2" >/dev/null 2>&1' EXIT
trap 'exit 1' HUP INT TERM
PGOPTIONS="$PGOPTIONS -c synchronous_commit=off" pg_restore --no-password --exit-on-error --dbname="$scratch" || {
  printf '%s\n' "$5" | PGDATABASE=$scratch psql -X -q -A -t -w >&2 2>/dev/null
  exit 1
}
printf '%s\n' "$4" | PGDATABASE=$scratch psql -X -q -A -t -w || exit 1
for attempt in 1 2 3 4 5 6; do
  if refusal=$(run_sql "$3" 2>&1); then
    trap - EXIT
    exit 0
  fi
done
printf '%s\n' "$refusal" >&2
exit 1
