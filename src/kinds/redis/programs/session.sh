# Usage: session.sh ARGUMENT... Runs the client, logged in. The arguments are those of the caller. Each client reads its
# own variable for the password.

cli=$(command -v valkey-cli || command -v redis-cli) || {
  echo 'The image contains neither redis-cli nor valkey-cli' >&2
  exit 1
}
REDISCLI_AUTH=$(cat {{secretPath}}) || exit 1
VALKEYCLI_AUTH=$REDISCLI_AUTH
export REDISCLI_AUTH VALKEYCLI_AUTH
exec "$cli" -h "$BERTH_HOST" -p "$BERTH_PORT" ${BERTH_TLS_NAME:+--tls --cacert {{ca}} --sni "$BERTH_TLS_NAME"} "$@"
