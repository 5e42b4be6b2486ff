# Usage: await-answer.sh SECONDS
# Waits for at most SECONDS until the server answers its health check and waits for its clearance (kinds/health.sh).
# Prints "for" and the number of seconds since its first answer, or "not".

file={{answeringFile}}
tries=$(($1 * 10))
until [ -s "$file" ] && [ "$(wc -l <"$file")" -ge 2 ]; do
  if [ "$tries" -le 0 ]; then
    echo not
    exit 0
  fi
  tries=$((tries - 1))
  sleep 0.1
done
echo "for $(($(date +%s) - $(head -n 1 "$file")))"
