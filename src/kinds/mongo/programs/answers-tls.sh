# Health check of a server that requires TLS: it listens on an interface other than loopback, and accepts connections. If
# the server hangs, connections queue, and the field after the state is not zero (6989 is port 27017, 0A is the state
# LISTEN). A request without TLS would make the server log an error.

listens() {
  sockets=$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -E '^ *[0-9]+: [0-9A-F]+:6989 0+:0000 0A ' |
    grep -Ev ': (0100007F|0{24}01000000):6989 ') || return 1
  ! printf '%s\n' "$sockets" | grep -Eqv ' 0A [0-9A-F]+:0+ '
}
answers() {
  end=$(($(date +%s) + $1))
  until listens; do
    [ "$(date +%s)" -lt "$end" ] || return 1
    sleep 0.1
  done
}
