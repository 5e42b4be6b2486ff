# Runs the arguments, a program that drops the database. Then restores the archive on standard input.

umask 077
secret=$(cat {{secretPath}}) || exit 1
has_config() {
  "$1" --help 2>/dev/null | grep -q -e ' --config'
}
users() {
  [ "$BERTH_DATABASE" = admin ] || echo "$1"
}

"$@" <{{valuesPath}} || exit 1
set -- --host="$BERTH_HOST" --port="$BERTH_PORT" --username="$BERTH_USER" --authenticationDatabase=admin \
  --db="$BERTH_DATABASE" --archive --drop --stopOnError --bypassDocumentValidation \
  $(users --restoreDbUsersAndRoles)
if has_config mongorestore; then
  exec mongorestore --config={{loginPath}} "$@"
fi
# Older tools do not find a database whose name is not ASCII. The pattern selects everything in the archive.
{
  printf '%s\n' "$secret"
  cat
} | mongorestore "$@" --nsInclude='*'
