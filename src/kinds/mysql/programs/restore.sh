# Usage: restore.sh CREATE_SQL SESSIONS_SQL DROP_SQL. Reads a dump from standard input. A row may be longer than the
# largest packet, for it is written in hexadecimal digits: during the restore the server accepts larger ones. Comments
# in routines are kept. The last answer shows whether all of the dump was read.
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
ended=$(as_root -e "$2") || exit 1
printf '%s\n' "$ended" | as_root --force 2>/dev/null
dropped=$(printf '%s\n' "$3" | as_root) || exit 1
printf '%s\n' "$dropped" | as_root || exit 1
said=$(as_root --comments | tail -n 1)
if [ "$said" != 'Berth: complete' ]; then
  echo 'Not all of the archive was restored' >&2
  exit 1
fi
