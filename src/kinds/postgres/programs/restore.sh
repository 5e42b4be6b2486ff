# Usage: restore.sh PREPARE_SQL FORGET_SQL REPLACE_SQL. Reads a dump from standard input. The restored data is not
# synced before the rename, which syncs it. A client that connects between the end of all sessions and the rename is
# disconnected in the next attempt.

unset PGSERVICE PGHOSTADDR PGOPTIONS
PGPASSWORD=$(cat {{secretPath}}) || exit 1
export PGPASSWORD

BERTH_DATABASE=$PGDATABASE
export BERTH_DATABASE
ask() {
  printf '%s\n' "$1" | PGDATABASE=template1 psql -X -q -A -t -w
}
scratch=$(ask "$1") || exit 1
if [ "$scratch" = bound ]; then
  echo 'The database has a subscription or a replication slot: drop it first, for the database is replaced' >&2
  exit 1
fi
trap 'ask "$2" >/dev/null 2>&1' EXIT
trap 'exit 1' HUP INT TERM
PGOPTIONS='-c synchronous_commit=off' pg_restore --no-password --exit-on-error --dbname="$scratch" || exit 1
for attempt in 1 2 3 4 5 6; do
  if refusal=$(ask "$3" 2>&1); then
    trap - EXIT
    exit 0
  fi
done
printf '%s\n' "$refusal" >&2
exit 1
