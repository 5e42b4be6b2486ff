/** A process with a watchdog, for watchdog.test.ts. Its argument says what the event loop does. */
import { isMainThread } from 'node:worker_threads'
import { startWatchdog, watch } from '../src/watchdog.ts'

const maxTurns = 150

if (isMainThread) {
  startWatchdog(import.meta.filename, { periodMs: 20, maxChecks: 100 })
  process.stdout.write('watched\n')
  if (process.argv[2] === 'stops') setTimeout(block, 100)
  else turn(0)
} else {
  watch()
}

function block(): never {
  for (;;);
}

/** Work that lasts longer than the watchdog allows, in turns. */
function turn(count: number) {
  const endMs = performance.now() + 20
  while (performance.now() < endMs);
  if (count < maxTurns) setTimeout(() => turn(count + 1))
}
