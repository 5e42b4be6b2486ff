# Usage: maintenance.sh VALUES COUNT WORD... PROGRAM...
# Runs the first COUNT words, which start a server that needs no login and has no clients outside this container. With the
# values of a file, makes Berth's own account there, and stops this server. Then runs the program, which starts the usual
# server. The entry point of the image would turn logins on if it knew its variables.

values=$1
count=$2
shift 2
fail() {
  printf 'Berth: %s\n' "$1" >&2
  exit 1
}
start_server() {
  total=$#
  number=0
  for word; do
    number=$((number + 1))
    [ "$number" -gt "$count" ] || set -- "$@" "$word"
  done
  shift "$total"
  exec env -u MONGO_INITDB_ROOT_USERNAME -u MONGO_INITDB_ROOT_PASSWORD "$@"
}
stop_server() {
  kill "$server" 2>/dev/null
  wait "$server"
}
make_account() {
  tries=0
  until sh {{shellPath}} 15 "$(cat {{programPath}})" <"$values"; do
    tries=$((tries + 1))
    [ "$tries" -lt 5 ] || return 1
  done
}
if [ -e {{dataPath}}/storage.bson ]; then
  start_server "$@" &
  server=$!
  trap 'stop_server; exit 1' HUP INT TERM
  until grep -q ' 0100007F:{{hexPort}} 00000000:0000 0A ' /proc/net/tcp; do
    kill -0 "$server" 2>/dev/null || fail 'the maintenance mode of the server has failed'
    sleep 0.2
  done
  make_account || {
    stop_server
    fail 'the server has refused to make the account'
  }
  stop_server || fail 'the maintenance mode of the server has not ended well'
  trap - HUP INT TERM
fi
shift "$count"
exec "$@"
