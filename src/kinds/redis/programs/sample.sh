# Reads commands from standard input and prints their answers, logged in.

cli=$(command -v valkey-cli || command -v redis-cli) || exit 1
exec "$cli" -h "$BERTH_HOST" -p "$BERTH_PORT" ${BERTH_TLS_NAME:+--tls --cacert {{ca}} --sni "$BERTH_TLS_NAME"}
