# Usage: repeat.sh SECONDS PROGRAM [ARGUMENT...]
# Runs the program with the standard input of this script until it succeeds, and begins no run after SECONDS. Prints the
# errors of the last run, and ends as it did.
seconds=$1
shift
input=$(cat && echo .)
read_uptime() {
  IFS='. ' read -r uptime _ </proc/uptime
}
read_uptime
end=$((uptime + seconds))
until errors=$(printf '%s' "${input%.}" | "$@" 2>&1 >/dev/null); do
  status=$?
  read_uptime
  if [ "$uptime" -ge "$end" ]; then
    printf '%s\n' "$errors" >&2
    exit "$status"
  fi
  sleep 0.2
done
