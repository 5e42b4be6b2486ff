# Writes a snapshot (an RDB file) of the server to standard output. It speaks the protocol of replication, because the
# client programs report no version: Valkey then leaves out its newer forms, and fails if the data needs them. They also
# write the mark of the end, which some servers send behind the snapshot, to standard output.
# Bash opens the connection itself. In an image without bash, nc does.

umask 077
LC_ALL=C
export LC_ALL
fail() {
  printf '%s\n' "$1" >&2
  exit 1
}
password=$(cat {{secretPath}}) || exit 1
if [ -n "${BASH_VERSION:-}" ]; then
  exec 3<>"/dev/tcp/$BERTH_HOST/$BERTH_PORT" || fail 'The server does not answer'
  exec 4>&3
else
  command -v nc >/dev/null || fail 'The image contains neither bash nor nc'
  folder=$(mktemp -d) || exit 1
  trap 'rm -rf "$folder"' EXIT
  mkfifo "$folder/requests" "$folder/answers" || exit 1
  nc "$BERTH_HOST" "$BERTH_PORT" <"$folder/requests" >"$folder/answers" &
  exec 4>"$folder/requests" 3<"$folder/answers"
fi

# Sends a command: the number of its words, then each with its length in bytes.
send() {
  printf '*%d\r\n' "$#" >&4
  for word in "$@"; do
    printf '$%d\r\n%s\r\n' "$(($(printf %s "$word" | wc -c)))" "$word" >&4
  done
}
# Reads a line. The server sends empty lines while it prepares a snapshot.
answer() {
  line=
  while [ -z "$line" ]; do
    IFS= read -r line <&3 || fail "${line:-The server closed the connection. Its log says why}"
    line=${line%"$carriage_return"}
  done
}
carriage_return=$(printf '\r')

send AUTH "$password"
answer
[ "$line" = +OK ] || fail "${line#-}"
send REPLCONF rdb-only 1
answer
[ "$line" = +OK ] || fail "${line#-}"
# Redis does not know this option. Valkey chooses the form of the snapshot by the version.
server=$(command -v valkey-server || command -v redis-server)
send REPLCONF version "$("$server" --version 2>/dev/null | sed -n 's/.* v=\([^ ]*\).*/\1/p')"
answer
send REPLCONF capa eof
answer
send SYNC
answer
case $line in
  '$EOF:'*) exec head -c -40 <&3 ;;
  '$'*) exec head -c "${line#?}" <&3 ;;
  *) fail "${line#-}" ;;
esac
