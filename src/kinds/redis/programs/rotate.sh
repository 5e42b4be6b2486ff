# Runs the command on standard input, which sets the new password. Fails if the server does not answer OK.

cli=$(command -v valkey-cli || command -v redis-cli) || {
  echo 'The image contains neither redis-cli nor valkey-cli' >&2
  exit 1
}

answer=$(timeout 10 "$cli" -h "$BERTH_HOST" -p "$BERTH_PORT" ${BERTH_TLS_NAME:+--tls --cacert {{ca}} --sni "$BERTH_TLS_NAME"} 2>&1)
[ "$answer" = OK ] || {
  printf '%s\n' "${answer:-The server does not answer}" >&2
  exit 1
}
