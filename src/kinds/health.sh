# The end of a health check. The text before it defines `answers SECONDS`, which succeeds if the server answers in time,
# and may call `read_uptime`.
# Status 2 means that the server lives and recovers or loads its data. After its first answer this counts as healthy:
# the engine must not kill the server in the middle of it.
# The engine repeats a check 250 ms after its end, so this script does the waiting: up to 5 s for the first answer, and
# 10 s between later answers. The marker shows that the server has answered once. It is in the container's memory.
# With the arguments FILE and CLEARANCE, the server is healthy only when FILE contains CLEARANCE. Until then the script
# waits up to 20 s longer, and says in {{answeringFile}} since when the server answers, and which clearance it waits for
# (engine/data/clearance.ts).
# Times are seconds since the start of the machine: no clock change moves them, and no program has to be started.
read_uptime() {
  IFS='. ' read -r uptime _ </proc/uptime
}
marker=/dev/shm/.berth-answered
if [ -d "$marker" ]; then
  sleep 10
  answers {{maxSeconds}} || [ $? -eq 2 ] || exit 1
  exit 0
fi
cleared_file=$1 clearance=$2
is_cleared() {
  [ -z "$cleared_file" ] || { read -r cleared 2>/dev/null <"$cleared_file" && [ "$cleared" = "$clearance" ]; }
}
read_uptime
until=$((uptime + 5))
while read_uptime && [ "$uptime" -lt "$until" ]; do
  # To ask a server takes a program. Once it has answered, it is asked again only after its clearance.
  if { [ ! -s {{answeringFile}} ] || is_cleared; } && answers 1; then
    if is_cleared; then
      mkdir -p "$marker"
      exit 0
    fi
    if [ ! -s {{answeringFile}} ]; then
      read_uptime
      printf '%s\n' "$uptime" "$clearance" >{{answeringFile}}
      until=$((uptime + 20))
    fi
  fi
  sleep 0.1
done
exit 1
