# Usage: shell.sh SECONDS PROGRAM, with the values on standard input. Runs MongoDB's shell with a temporary home in the
# container's memory: no history, log or telemetry. The program reads the values from descriptor 3, because mongosh
# reads standard input itself. Prefers the old shell, whose driver fits an old server that mongosh may refuse. Prints
# only the output of `say`.

umask 077
home=$(mktemp -d /dev/shm/.berth.XXXXXX 2>/dev/null || mktemp -d) || exit 1
trap 'rm -rf "$home"' EXIT
trap 'exit 1' HUP INT TERM
export HOME="$home"
shell=mongo
if ! command -v mongo >/dev/null; then
  shell=mongosh
  mkdir -p "$home/.mongodb/mongosh"
  echo '{"enableTelemetry":false,"disableLogging":true,"updateURL":""}' >"$home/.mongodb/mongosh/config"
fi
values() {
  head -n 1
  head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n'
}
said=$(values | timeout "$1" "$shell" --nodb --norc --quiet --eval "$2" 3<&0 </dev/null 2>&1)
code=$?
plain=$(printf '%s\n' "$said" | sed -n 's/^berth: //p')
if [ "$code" = 0 ]; then
  [ -z "$plain" ] || printf '%s\n' "$plain"
  exit 0
fi
[ "$code" != 124 ] || plain="no answer within $1 seconds"
printf '%s\n' "${plain:-$said}" >&2
exit 1
