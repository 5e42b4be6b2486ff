# Health check with the kernel's socket table (0CEA is port 3306, 0A is the state LISTEN). While the image initializes
# the data, the server listens on a Unix socket only. The check opens no connection, because MariaDB logs every
# connection without a login. If the server hangs, connections queue, and the field after the state is not zero. The
# check repeats, because a short queue is normal.

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
