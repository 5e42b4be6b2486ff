# Health check from the kernel's table of sockets (0CEA is 3306, 0A is listening), because a server that still runs its set-up has a
# Unix socket only. No connection is made: MariaDB would log each one that does not log in. Where a server hangs, connections wait
# to be accepted: then the word after the state ends with their number, which may change in a moment.

listens() {
  sockets=$(grep -Ehs ':0CEA 0+:0000 0A ' /proc/net/tcp /proc/net/tcp6) || return 1
  ! printf '%s\n' "$sockets" | grep -Eqv ' 0A [0-9A-F]+:0+ '
}
answers() {
  end=$(($(date +%s) + $1))
  until listens; do
    [ "$(date +%s)" -lt "$end" ] || return 1
    sleep 0.1
  done
}
