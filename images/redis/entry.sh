#!/bin/bash
# The entry point of the redis and valkey stand-ins: bare options and a configuration file are the server's
# arguments, and as root it gives the data to the server's user and becomes that user, as in the official images.
set -Eeuo pipefail

server=redis-server
! command -v valkey-server >/dev/null || server=valkey-server

asks_only() { case ${1:-} in -v | --version | -h | --help | --test-memory | --check-system) return 0 ;; esac; return 1; }

# The official images' servers are compiled without protected mode, which answers to the local host only.
# Later arguments win, and all win over the file, which the server takes as its first argument only.
without_protected_mode() {
  case ${1:-} in
    -) ;;
    '' | -*) set -- --protected-mode no "$@" ;;
    *) grep -Eiqs '^[[:space:]]*"?protected-mode' "$1" || set -- "$1" --protected-mode no "${@:2}" ;;
  esac
  local more
  read -ra more <<<"${VALKEY_EXTRA_FLAGS:-}"
  exec "$server" "$@" "${more[@]}"
}

case ${1:-} in
  -* | *.conf) ;;
  redis-server | valkey-server) shift ;;
  *) exec "$@" ;;
esac
! asks_only "$@" || exec "$server" "$@"
if [ "$(id -u)" = 0 ]; then
  user=${server%-server}
  find . ! -user "$user" -exec chown "$user:" {} +
  exec setpriv --reuid="$user" --regid="$user" --clear-groups "$0" "$server" "$@"
fi
[ "$(umask)" != 0022 ] || umask 0077
without_protected_mode "$@"
