#!/bin/sh
# The entry point of the haproxy stand-in: `haproxy ARGS` and bare options run as master and worker
# in the foreground, so that SIGUSR2 reloads and SIGUSR1 drains; any other command runs as it is.
set -eu
case ${1:-} in -*) set -- haproxy "$@" ;; esac
if [ "${1:-}" = haproxy ]; then
  shift
  set -- haproxy -W -db "$@"
fi
exec "$@"
