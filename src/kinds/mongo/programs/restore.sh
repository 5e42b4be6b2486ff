# Drops the database with the program in the arguments, then restores an archive from standard input.

umask 077
secret=$(cat {{secretPath}}) || exit 1
takes_file() {
  "$1" --help 2>/dev/null | grep -q -e ' --config'
}
users() {
  [ "$BERTH_DATABASE" = admin ] || echo "$1"
}

"$@" <{{valuesPath}} || exit 1
set -- --host="$BERTH_HOST" --port="$BERTH_PORT" --username="$BERTH_USER" --authenticationDatabase=admin \
  --db="$BERTH_DATABASE" --archive --drop --stopOnError $(users --restoreDbUsersAndRoles)
if takes_file mongorestore; then
  exec mongorestore --config={{loginPath}} "$@"
fi
# These do not find a database by a name beyond ASCII.
{
  printf '%s\n' "$secret"
  cat
} | mongorestore "$@" --nsInclude='*'
