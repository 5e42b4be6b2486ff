# Health check: every answer counts as healthy, except that the server still loads its data. A server that cannot write
# to its disk or runs a long script must not be killed. An image has one of the two clients, and each client reads its
# own variable first.

cli=$(command -v valkey-cli || command -v redis-cli) || {
  echo 'The image has neither redis-cli nor valkey-cli' >&2
  exit 1
}

REDISCLI_AUTH=$(cat {{pulsePath}})
VALKEYCLI_AUTH=$REDISCLI_AUTH
export REDISCLI_AUTH VALKEYCLI_AUTH
answers() {
  case $(timeout "$1" "$cli" -h 127.0.0.1 -p {{port}} --user berth-health PING 2>&1) in
    *LOADING*) return 1 ;;
    *PONG* | *NOAUTH* | *WRONGPASS* | *NOPERM* | *MISCONF* | *BUSY* | *MASTERDOWN* | *'max number of clients'*) ;;
    *) return 1 ;;
  esac
}
