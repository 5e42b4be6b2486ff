# Health check with the kernel's socket table (0CEA is port 3306, 0A is the state LISTEN). While the image initializes
# the data, the server listens on a Unix socket only. The check opens no connection, because MariaDB logs every
# connection without a login. If the server hangs, connections queue, and the field after the state is not zero. The
# check repeats, because a short queue is normal.

listens() {
  socket=':0CEA 0+:0000 0A [0-9A-F]+'
  grep -Eqs "$socket" /proc/net/tcp /proc/net/tcp6 || return 1
  ! grep -Eqs "$socket:0*[1-9A-F]" /proc/net/tcp /proc/net/tcp6
}
answers() {
  read_uptime
  end=$((uptime + $1))
  until listens; do
    read_uptime
    [ "$uptime" -lt "$end" ] || return 1
    sleep 0.1
  done
}
