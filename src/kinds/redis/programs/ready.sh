# Logs in and prints the version. Fails if the server requires no password or writes no append-only file. Then prints the
# folder of the data and the symbolic links in it. The folder is as configured if the command CONFIG is renamed.

cli=$(command -v valkey-cli || command -v redis-cli) || {
  echo 'The image contains neither redis-cli nor valkey-cli' >&2
  exit 1
}

call() {
  timeout 3 "$cli" -h "$BERTH_HOST" -p "$BERTH_PORT" "$@" 2>&1 | tr -d '\r'
}
fail() {
  printf '%s\n' "$1" | head -n 1 >&2
  exit 1
}
no_answer='The server does not answer'
without_login=$(unset REDISCLI_AUTH VALKEYCLI_AUTH; call PING)
case $without_login in
  NOAUTH*) ;;
  PONG*) fail 'The server accepts clients without a password' ;;
  *) fail "${without_login:-$no_answer}" ;;
esac
info=$(call INFO)
field() {
  printf '%s\n' "$info" | sed -n "s/^$1://p"
}
version=$(field valkey_version)
[ -n "$version" ] || version=$(field redis_version)
[ -n "$version" ] || fail "${info:-$no_answer}"
[ "$(field loading)" = 0 ] || fail 'The server still loads its data'
[ "$(field aof_enabled)" = 1 ] || fail 'The append-only file is off, so the server can lose data'
answer=$(call PING)
[ "$answer" = PONG ] || fail "${answer:-$no_answer}"
printf '%s\n' "$version" | cut -d . -f 1,2
folder=$(call CONFIG GET dir | sed -n 2p)
printf '%s\n' "${folder:={{dataPath}}}" "$folder/*" "$folder/*/*"
