# Defines `log_in`, which runs the client. The client ignores option files, because they can name another server. The
# address is the address of the container or a published port of its node. A query prints all rows, unless an argument is
# another --init-command.

client=$({{findClient}}) || {
  echo 'The image contains no client for its server' >&2
  exit 1
}
log_in() {
  "$client" --no-defaults --host="$BERTH_HOST" --port="$BERTH_PORT" --protocol=TCP --connect-timeout=3 {{options}} \
    --default-character-set=utf8mb4 --batch --raw --silent --skip-column-names --skip-auto-rehash --binary-mode \
    --init-command='set session sql_select_limit = 18446744073709551615' "$@"
}
