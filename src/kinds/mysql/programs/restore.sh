# Usage: restore.sh CREATE_SQL SESSIONS_SQL DROP_SQL SET_GLOBALS_SQL. Reads a dump from standard input. With
# BERTH_WITHOUT_NEEDS it leaves out the views that need other databases. Some settings of the whole server would refuse the
# dump, so they have other values during the restore. The caller sets them back, also if this program is killed. The client
# keeps the comments in routines. The last line of output shows whether the dump was complete.
MYSQL_PWD=$(cat {{secretPath}}) || exit 1
export MYSQL_PWD
as_admin() {
  log_in --user="$BERTH_ADMIN" --init-command="$BERTH_SESSION" --max-allowed-packet=1G "$@"
}
in_database() {
  as_admin --database="$BERTH_DATABASE" "$@"
}

name=$(printf %s "$BERTH_DATABASE" | od -An -v -tx1 | tr -d ' \n')
printf '%s\n' "$1" | sed "s/x'?'/x'$name'/g" | as_admin || exit 1
as_admin -e "$4" || exit 1
kills=$(in_database -e "$2") || exit 1
printf '%s\n' "$kills" | as_admin --force 2>/dev/null
drops=$(printf '%s\n' "$3" | in_database) || exit 1
printf '%s\n' "$drops" | in_database || exit 1
wanted() {
  if [ -n "$BERTH_WITHOUT_NEEDS" ]; then
    LC_ALL=C sed '/^{{needingBegin}}$/,/^{{needingEnd}}$/d'
  else
    cat
  fi
}
last=$(wanted | in_database --comments | tail -n 1)
if [ "$last" != 'Berth: complete' ]; then
  echo 'The archive was not restored completely' >&2
  exit 1
fi
