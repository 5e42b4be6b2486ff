# Makes a server usable again after the program that loaded a dump was ended: see release.sh.

umask 077
password=$(cat {{secretPath}}) || exit 1
cli=$(command -v valkey-cli || command -v redis-cli) || exit 1
call() {
  REDISCLI_AUTH=$password VALKEYCLI_AUTH=$password timeout 30 \
    "$cli" -h "$BERTH_HOST" -p "$BERTH_PORT" "$@" 2>&1 </dev/null | tr -d '\r'
}
field() {
  printf '%s\n' "$info" | sed -n "s/^$1://p"
}
read_info() {
  info=$(call INFO)
}

{{release}}
release >&2
