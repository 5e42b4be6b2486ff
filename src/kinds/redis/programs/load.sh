# Restores the snapshot (RDB file) on standard input into a server. A second server in this container loads the snapshot.
# Only if it is complete, the server becomes a replica of the second one, and so gets all of its data in one step. While
# it is a replica it refuses writes, and serves its old data until it has received the new data completely. Its files
# keep the old data until they have all of the new data. Then it stops being a replica.
# With BERTH_MARK, the data has a key of this name, too: it shows that the server has got the data.
# If BERTH_TEMPORARY is set, no key of the server expires afterwards, so that its data can be compared.

umask 077
password=$(cat {{secretPath}}) || exit 1
cli=$(command -v valkey-cli || command -v redis-cli) || exit 1
program=$(command -v valkey-server || command -v redis-server) || exit 1
folder=$(mktemp -d) || exit 1
exec 5<&0

call() {
  REDISCLI_AUTH=$password VALKEYCLI_AUTH=$password timeout 30 \
    "$cli" -h "$BERTH_HOST" -p "$BERTH_PORT" "$@" 2>&1 </dev/null | tr -d '\r'
}
second_password=$(head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n')
second() {
  REDISCLI_AUTH=$second_password VALKEYCLI_AUTH=$second_password timeout 30 \
    "$cli" -p {{port}} --user {{user}} "$@" 2>&1 </dev/null | tr -d '\r'
}
fail() {
  printf '%s\n' "$1" >&2
  exit 1
}
field() {
  printf '%s\n' "$info" | sed -n "s/^$1://p"
}
read_info() {
  info=$(call INFO)
}
keys() {
  sed -n 's/^\(db[0-9]*:keys=[0-9]*\).*/\1/p' | sort
}
expect_ok() {
  [ "$1" = OK ] || fail "${1:-The server does not answer}"
}

{{release}}
is_replica=
leave() {
  status=$?
  trap - EXIT
  [ -z "$is_replica" ] || release >&2
  [ -z "${server:-}" ] || kill -9 "$server" 2>/dev/null
  rm -rf "$folder"
  exit "$status"
}
trap leave EXIT
trap 'exit 1' HUP INT TERM

# The address of this container, as the server sees it.
address=$(call CLIENT INFO | sed -n 's/.* addr=\([^ ]*\):[0-9]* .*/\1/p' | tr -d '[]')
[ -n "$address" ] || fail "The server does not say from where it is called: $(call CLIENT INFO)"
databases=$(call CONFIG GET databases | sed -n 2p)
call MODULE LIST | sed -n '/^path$/{n;p;}' | while IFS= read -r path; do
  case $path in
    *[!A-Za-z0-9_./-]*) ;;
    *) [ ! -f "$path" ] || printf 'loadmodule %s\n' "$path" ;;
  esac
done >"$folder/modules"

# A server that is a replica drops no expired keys while it loads. It reads the snapshot from its standard
# input, so the snapshot needs no disk.
ln -s /proc/self/fd/0 "$folder/snapshot.rdb" || exit 1
{
  printf 'port {{port}}\nbind * -::*\nprotected-mode no\ndir %s\ndbfilename snapshot.rdb\n' "$folder"
  printf 'save ""\nappendonly no\nrepl-diskless-sync yes\nrepl-diskless-sync-delay 0\nrepl-backlog-ttl 1\n'
  printf 'databases %s\nreplicaof 127.0.0.1 1\nreplica-read-only no\n' "${databases:-16}"
  printf 'user default off\nuser {{user}} on >%s ~* &* +@all\n' "$second_password"
  cat "$folder/modules"
} >"$folder/second.conf"
{
  cat <&5
  : >"$folder/complete"
} | "$program" "$folder/second.conf" >"$folder/log" 2>&1 &
server=$!
until [ "$(second PING)" = PONG ]; do
  kill -0 "$server" 2>/dev/null || {
    grep ' # ' "$folder/log" | grep -v WARNING | tail -n 2 >&2
    fail 'A server of this image does not load the snapshot'
  }
  sleep 0.2
done
# The input ends when Berth has compared the checksum of the whole dump.
until [ -f "$folder/complete" ]; do
  sleep 0.2
done

[ -z "$BERTH_MARK" ] || expect_ok "$(second SET "$BERTH_MARK" 1)"
# While writes are paused, nothing expires. Without a backlog, the server cannot take its own old data for the new one.
expect_ok "$(second CLIENT PAUSE {{pauseMs}} WRITE)"
expect_ok "$(second REPLICAOF NO ONE)"
until info=$(second INFO replication) && [ "$(field repl_backlog_active)" = 0 ]; do
  sleep 0.2
done

is_replica=yes
diskless_load=$(call CONFIG GET repl-diskless-load | sed -n 2p)
expect_ok "$(call CONFIG SET repl-diskless-load disabled)"
expect_ok "$(call CONFIG SET masteruser {{user}})"
expect_ok "$(printf 'CONFIG SET masterauth %s\n' "$second_password" |
  REDISCLI_AUTH=$password VALKEYCLI_AUTH=$password "$cli" -h "$BERTH_HOST" -p "$BERTH_PORT" 2>&1)"
expect_ok "$(call REPLICAOF "$address" {{port}})"
tries=0
while :; do
  read_info
  case $(field role) in
    slave) ;;
    master) fail 'The server was restarted during the restore' ;;
    *) tries=$((tries + 1)) ;;
  esac
  kill -0 "$server" 2>/dev/null || fail 'The second server ended'
  [ "$(field loading)" != 0 ] || [ "$(field master_link_status)" != up ] || break
  [ "$(field loading)" = 1 ] || [ "$(field master_sync_in_progress)" = 1 ] || tries=$((tries + 1))
  [ "$tries" -lt 300 ] || fail 'The server does not get the data. Its log says why'
  sleep 0.2
done
settle || fail "$unsettled"
[ "$(printf '%s\n' "$info" | keys)" = "$(second INFO keyspace | keys)" ] ||
  fail 'The server has another number of keys than the snapshot'
[ -z "$BERTH_TEMPORARY" ] || expect_ok "$(call CLIENT PAUSE {{pauseMs}} WRITE)"
release >&2 || fail 'The server remains a replica'
is_replica=
call CONFIG SET repl-diskless-load "$diskless_load" >/dev/null
