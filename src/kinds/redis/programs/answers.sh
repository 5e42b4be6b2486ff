# Health check with the command PING. An error such as MISCONF (the server cannot write to its disk) or BUSY (it runs a
# long script) means healthy, because the engine must not kill such a server. LOADING means not healthy yet (status 2). An image
# contains one of the two clients. Each client reads its own variable for the password.

cli=$(command -v valkey-cli || command -v redis-cli) || {
  echo 'The image contains neither redis-cli nor valkey-cli' >&2
  exit 1
}

REDISCLI_AUTH=$(cat {{healthPasswordPath}})
VALKEYCLI_AUTH=$REDISCLI_AUTH
export REDISCLI_AUTH VALKEYCLI_AUTH
answers() {
  case $(timeout "$1" "$cli" -h 127.0.0.1 -p {{port}} --user berth-health PING 2>&1) in
    *LOADING*) return 2 ;;
    *PONG* | *NOAUTH* | *WRONGPASS* | *NOPERM* | *MISCONF* | *BUSY* | *MASTERDOWN* | *'max number of clients'*) ;;
    *) return 1 ;;
  esac
}
