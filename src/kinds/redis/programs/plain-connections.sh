# Counts the clients of the port without TLS. Loopback is inside the container.

cli=$(command -v valkey-cli || command -v redis-cli) || {
  echo 'The image contains neither redis-cli nor valkey-cli' >&2
  exit 1
}
list=$(timeout 10 "$cli" -h "$BERTH_HOST" -p "$BERTH_PORT" ${BERTH_TLS_NAME:+--tls --cacert {{ca}} --sni "$BERTH_TLS_NAME"} CLIENT LIST 2>&1) || exit 1
case $list in
  id=*) ;;
  *)
    printf '%s\n' "${list:-The server does not answer}" | head -n 1 >&2
    exit 1
    ;;
esac
printf '%s\n' "$list" | grep ' laddr=[^ ]*:{{plainPort}} ' | grep -Evc ' addr=(127\.[0-9.]*|\[::1\]):'
exit 0
