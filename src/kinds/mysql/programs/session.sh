# Usage: session.sh ARGUMENT... Runs the client, logged in as the user of the database. The arguments are those of the
# caller. The client ignores option files, because they can name another server.

client=$({{findClient}}) || {
  echo 'The image contains no client for its server' >&2
  exit 1
}
MYSQL_PWD=$(cat {{secretPath}}) || exit 1
export MYSQL_PWD
exec "$client" --no-defaults --host="$BERTH_HOST" --port="$BERTH_PORT" --protocol=TCP --connect-timeout=10 $tls {{options}} \
  --default-character-set=utf8mb4 --user="$BERTH_USER" --database="$BERTH_DATABASE" "$@"
