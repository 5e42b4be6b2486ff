# Writes an archive of the database to standard output. Tools before 100 prompt for the password on standard input.

umask 077
secret=$(cat {{secretPath}}) || exit 1
takes_file() {
  "$1" --help 2>/dev/null | grep -q -e ' --config'
}
users() {
  [ "$BERTH_DATABASE" = admin ] || echo "$1"
}

set -- --host="$BERTH_HOST" --port="$BERTH_PORT" --username="$BERTH_USER" --authenticationDatabase=admin \
  --db="$BERTH_DATABASE" --archive $(users --dumpDbUsersAndRoles)
if takes_file mongodump; then
  exec mongodump --config={{loginPath}} "$@" </dev/null
fi
printf '%s\n' "$secret" | mongodump "$@"
