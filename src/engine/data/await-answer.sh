# Usage: await-answer.sh SECONDS
# Waits for at most SECONDS until the server answers its health check and waits for its clearance (kinds/health.sh).
# Prints "for" and the number of seconds since its first answer, or "not".

file={{answeringFile}}
tries=$(($1 * 10))
until [ -s "$file" ] && { read -r since && read -r _; } <"$file"; do
  if [ "$tries" -le 0 ]; then
    echo not
    exit 0
  fi
  tries=$((tries - 1))
  sleep 0.1
done
IFS='. ' read -r uptime _ </proc/uptime
echo "for $((uptime - since))"
