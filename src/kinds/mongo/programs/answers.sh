# Health check: the server listens on an interface other than loopback, and answers the command `isMaster`. While the
# image initializes the data, the server listens on loopback only. The command needs no login. It is sent as an OP_MSG
# (servers since 3.6), because MongoDB's own shell would need a second and 100 MiB. The response repeats the request id
# (Brth). In an image without bash, only the listening socket is checked.

request='
exec 3<>/dev/tcp/127.0.0.1/27017 || exit 1
printf "\067\0\0\0Brth\0\0\0\0\335\007\0\0\0\0\0\0\0" >&3
printf "\042\0\0\0\020isMaster\0\001\0\0\0\002\044db\0\006\0\0\0admin\0\0" >&3
case $(head -c 16 <&3 | tr -d "\0") in *Brth*) exit 0 ;; esac
exit 1
'
listens() {
  cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -E '^ *[0-9]+: [0-9A-F]+:6989 0+:0000 0A ' |
    grep -Evq ': (0100007F|0{24}01000000):6989 '
}
answers() {
  listens || return 1
  ! command -v bash >/dev/null || timeout "$1" bash -c "$request" 2>/dev/null
}
