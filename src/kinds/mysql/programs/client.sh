# Defines `log_in`, which runs the client. The client ignores option files, because they can name another server. The
# address is the address of the container or a published port of its node. `tls` has options.

client=$({{findClient}}) || {
  echo 'The image contains no client for its server' >&2
  exit 1
}
log_in() {
  "$client" --no-defaults --host="$BERTH_HOST" --port="$BERTH_PORT" --protocol=TCP --connect-timeout=3 $tls {{options}} \
    --default-character-set=utf8mb4 --batch --raw --silent --skip-column-names --skip-auto-rehash --binary-mode "$@"
}
