/**
 * The check that the engine runs inside a container, again 250 ms after it ended. So it waits itself: for the first
 * answer up to 5 s at a time, and then 10 s between answers. What it remembers lies in the container's memory.
 */

/** `answers`: shell text that defines `answers SECONDS`, which has so long to tell whether the server does. */
export function healthCheck(answers: string, mostSeconds = 3): string[] {
  const script = `${answers}
marker=/dev/shm/.berth-answered
if [ -d "$marker" ]; then
  sleep 10
  answers ${mostSeconds} || exit 1
  exit 0
fi
until=$(($(date +%s) + 5))
while [ "$(date +%s)" -lt "$until" ]; do
  if answers 1; then
    mkdir -p "$marker"
    exit 0
  fi
  sleep 0.1
done
exit 1
`
  return ['sh', '-c', script]
}
