# Usage: maintenance.sh STATEMENTS COUNT ARGUMENT... PROGRAM...
# Runs the statements of a file, each on a line, in the single-user mode of the server, which needs no login, with the
# first COUNT arguments. Then runs the program, which starts the server. The server refuses to run as root. A statement
# that fails does not end the mode: Berth logs in afterwards.

statements=$1
count=$2
shift 2
as_owner() {
  if [ "$(id -u)" != 0 ]; then
    "$@"
    return
  fi
  owner=$(stat -c %u:%g "$PGDATA")
  for tool in gosu su-exec; do
    if command -v "$tool" >/dev/null; then
      "$tool" "$owner" "$@"
      return
    fi
  done
  setpriv --reuid="${owner%:*}" --regid="${owner#*:}" --clear-groups "$@"
}
run_statements() {
  total=$#
  number=0
  for word; do
    number=$((number + 1))
    [ "$number" -gt "$count" ] || set -- "$@" "$word"
  done
  shift "$total"
  as_owner postgres --single -D "$PGDATA" "$@" -c log_statement=none -c log_min_error_statement=panic \
    -c log_min_duration_statement=-1 -c password_encryption=scram-sha-256 -c default_transaction_read_only=off template1
}
if [ -s "$PGDATA/PG_VERSION" ]; then
  run_statements "$@" <"$statements" >/dev/null || {
    echo 'Berth: the single-user mode of the server has failed' >&2
    exit 1
  }
fi
shift "$count"
exec "$@"
