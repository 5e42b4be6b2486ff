# Usage: restore.sh CREATE_SQL SESSIONS_SQL DROP_SQL. Reads a dump from standard input. The dump writes binary values in
# hexadecimal digits, so a row can be longer than the largest packet. The server accepts larger packets during the
# restore. The client keeps the comments in routines. The last line of output shows whether the dump was complete.
MYSQL_PWD=$(cat {{secretPath}}) || exit 1
export MYSQL_PWD
as_root() {
  log_in --user=root --database="$BERTH_DATABASE" --max-allowed-packet=1G "$@"
}

name=$(printf %s "$BERTH_DATABASE" | od -An -v -tx1 | tr -d ' \n')
printf '%s\n' "$1" | sed "s/x'?'/x'$name'/g" | log_in --user=root || exit 1
packet=$(as_root -e 'select @@global.max_allowed_packet') || exit 1
trap 'as_root -e "set global max_allowed_packet = $packet"' EXIT
trap 'exit 1' HUP INT TERM
as_root -e 'set global max_allowed_packet = 1073741824' || exit 1
kills=$(as_root -e "$2") || exit 1
printf '%s\n' "$kills" | as_root --force 2>/dev/null
drops=$(printf '%s\n' "$3" | as_root) || exit 1
printf '%s\n' "$drops" | as_root || exit 1
last=$(as_root --comments | tail -n 1)
if [ "$last" != 'Berth: complete' ]; then
  echo 'The archive was not restored completely' >&2
  exit 1
fi
