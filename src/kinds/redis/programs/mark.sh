# Runs the command $1 (EXISTS or DEL) with the key that a restore brings along with its data. Prints how many such keys there
# are or were.

umask 077
password=$(cat {{secretPath}}) || exit 1
cli=$(command -v valkey-cli || command -v redis-cli) || exit 1
answer=$(REDISCLI_AUTH=$password VALKEYCLI_AUTH=$password timeout 30 \
  "$cli" -h "$BERTH_HOST" -p "$BERTH_PORT" "$1" "$BERTH_MARK" 2>&1 </dev/null | tr -d '\r')
case $answer in
  0 | 1) printf '%s\n' "$answer" ;;
  *)
    printf '%s\n' "$answer" >&2
    exit 1
    ;;
esac
