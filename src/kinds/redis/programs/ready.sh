# Logs in and prints the version. Fails if the server needs no password or keeps no append-only file.

cli=$(command -v valkey-cli || command -v redis-cli) || {
  echo 'The image has neither redis-cli nor valkey-cli' >&2
  exit 1
}

call() {
  timeout 3 "$cli" -h "$BERTH_HOST" -p "$BERTH_PORT" "$@" 2>&1 | tr -d '\r'
}
fail() {
  printf '%s\n' "$1" | head -n 1 >&2
  exit 1
}
stranger=$(unset REDISCLI_AUTH VALKEYCLI_AUTH; call PING)
case $stranger in
  NOAUTH*) ;;
  PONG*) fail 'It answers without a password' ;;
  *) fail "${stranger:-It does not answer}" ;;
esac
info=$(call INFO)
field() {
  printf '%s\n' "$info" | sed -n "s/^$1://p"
}
version=$(field valkey_version)
[ -n "$version" ] || version=$(field redis_version)
[ -n "$version" ] || fail "${info:-It does not answer}"
[ "$(field loading)" = 0 ] || fail 'It is still reading its data'
[ "$(field aof_enabled)" = 1 ] || fail 'Its append-only file is off, so that it would lose data'
answer=$(call PING)
[ "$answer" = PONG ] || fail "${answer:-It does not answer}"
printf '%s\n' "$version" | cut -d . -f 1,2
