# Usage: restore.sh OPTIONS_SQL PREPARE_SQL DROP_SCRATCH_SQL BEGIN_LOAD_SQL END_LOAD_SQL REPLACE_SQL CALLERS_SQL
# SCHEDULER_SQL. Reads a dump from standard input. The restore does not wait for the disk, because the rename at the end
# syncs the data. A client can connect between the end of all sessions and the rename. The rename then fails, and the next
# attempt disconnects this client. If the dump cannot be loaded, the columns are named that can be the cause.

scratch=$(run_sql "$1") || exit 1
if [ "$scratch" = bound ]; then
  echo 'Drop the subscription or replication slot of the database first, because a restore replaces the database' >&2
  exit 1
fi
trap 'run_sql "$2" >/dev/null 2>&1' EXIT
trap 'exit 1' HUP INT TERM
run_sql "$3" "$scratch" || exit 1
PGOPTIONS="$BERTH_LOAD_OPTIONS $further_options" pg_restore --no-password --exit-on-error --dbname="$scratch" || {
  run_sql "$6" "$scratch" >&2 2>/dev/null
  exit 1
}
run_sql "$4" "$scratch" || exit 1
is_replaced=
for attempt in 1 2 3 4 5 6; do
  if refusal=$(run_sql "$5" 2>&1); then
    is_replaced=1
    break
  fi
done
if [ -z "$is_replaced" ]; then
  printf '%s\n' "$refusal" >&2
  exit 1
fi
trap - EXIT
for second in 1 2 3 4 5 6 7 8 9 10; do
  scheduler=$(run_sql "$7") || exit 0
  [ -n "$scheduler" ] || exit 0
  sleep 1
done
echo 'Berth: RestartNeeded pg_cron' >&2
exit 0
