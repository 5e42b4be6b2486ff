# Defines `log_in`, which runs the client. Ignores option files, because they can lead to another server. The address is
# that of the container or a port of its node.

client=$({{findClient}}) || {
  echo 'The image has no client of the server' >&2
  exit 1
}
log_in() {
  "$client" --no-defaults --host="$BERTH_HOST" --port="$BERTH_PORT" --protocol=TCP --connect-timeout=3 {{options}} \
    --default-character-set=utf8mb4 --batch --raw --silent --skip-column-names --skip-auto-rehash --binary-mode "$@"
}
