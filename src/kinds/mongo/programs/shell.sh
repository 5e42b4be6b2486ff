# Usage: shell.sh SECONDS PROGRAM, with the values on standard input. Runs MongoDB's shell without history, log or
# telemetry, and with a temporary home folder in the container's memory. The program reads the values from file
# descriptor 3, because mongosh reads standard input itself. The old shell is preferred, because mongosh may refuse an
# old server. The script prints only the output of `printLine`.

umask 077
folder=$(mktemp -d /dev/shm/.berth.XXXXXX 2>/dev/null || mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
export HOME="$folder"
shell=mongo
if ! command -v mongo >/dev/null; then
  shell=mongosh
  mkdir -p "$folder/.mongodb/mongosh"
  echo '{"enableTelemetry":false,"disableLogging":true,"updateURL":""}' >"$folder/.mongodb/mongosh/config"
fi
values() {
  head -n 1
  head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n'
}
output=$(values | timeout "$1" "$shell" --nodb --norc --quiet --eval "$2" 3<&0 </dev/null 2>&1)
code=$?
lines=$(printf '%s\n' "$output" | sed -n 's/^berth: //p')
if [ "$code" = 0 ]; then
  [ -z "$lines" ] || printf '%s\n' "$lines"
  exit 0
fi
[ "$code" != 124 ] || lines="no answer within $1 seconds"
printf '%s\n' "${lines:-$output}" >&2
[ "$code" = {{unprepared}} ] && exit "$code"
exit 1
