/** Entry point of the server, and of the thread of its watchdog. */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

// The cache of compiled code saves a sixth of the processor time of the next start (decision 0041). It applies only to
// modules that are imported after this line.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/berth', import.meta.url)))
if (isMainThread) {
  // Files that Berth and its proxy process create are readable only for their own user.
  process.umask(0o077)
  const { start } = await import('./start.ts')
  await start(process.env, fileURLToPath(import.meta.url))
} else {
  const { watch } = await import('./watchdog.ts')
  watch()
}
