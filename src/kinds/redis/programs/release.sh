# Ends the replication that a restore has begun. It then has the new data if the server has received it completely, and
# the old data otherwise. A server that is restarted has ended the replication, too.

unsettled='The server cannot write its append-only file. Its log says why'
# Waits until the files have the data of the memory. Status 1: the server cannot write them. Status 2: it does not answer.
settle() {
  failures=0
  silences=0
  while [ "$silences" -lt 150 ]; do
    read_info
    if [ -z "$(field loading)" ]; then
      silences=$((silences + 1))
    elif [ "$(field loading)$(field aof_rewrite_in_progress)$(field aof_rewrite_scheduled)" = 000 ]; then
      [ "$(field aof_last_bgrewrite_status)" != ok ] || return 0
      failures=$((failures + 1))
      [ "$failures" -lt 25 ] || return 1
    fi
    sleep 0.2
  done
  return 2
}
# Stops a server that cannot write its files, because it would accept writes and lose them. It restarts with its old data.
release() {
  [ "$(call CONFIG GET masteruser | sed -n 2p)" = {{user}} ] || return 0
  settle
  case $? in
    0) ;;
    1)
      printf '%s\n' "$unsettled"
      call SHUTDOWN NOSAVE
      return 1
      ;;
    *) return 1 ;;
  esac
  answer=$(call REPLICAOF NO ONE)
  [ "$answer" = OK ] || {
    printf '%s\n' "$answer"
    return 1
  }
  call CONFIG SET masteruser '' >/dev/null
  call CONFIG SET masterauth '' >/dev/null
}
