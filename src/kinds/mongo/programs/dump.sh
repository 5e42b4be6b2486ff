# Writes an archive of the database to standard output. Tools before version 100 read the password from standard input. The
# collections that are left out belong to a restore that was killed: a restore of them fails.

umask 077
secret=$(cat {{secretPath}}) || exit 1
has_config() {
  "$1" --help 2>/dev/null | grep -q -e ' --config'
}
users() {
  [ "$BERTH_DATABASE" = admin ] || echo "$1"
}

set -- --host="$BERTH_HOST" --port="$BERTH_PORT" --username="$BERTH_USER" --authenticationDatabase=admin \
  --db="$BERTH_DATABASE" --archive $(users --dumpDbUsersAndRoles)
[ "$BERTH_DATABASE" != admin ] || set -- "$@" --excludeCollection=tempusers --excludeCollection=temproles
if has_config mongodump; then
  exec mongodump --config={{loginPath}} "$@" </dev/null
fi
printf '%s\n' "$secret" | mongodump "$@"
