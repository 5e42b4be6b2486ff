/** The entry: acts when it is run, unlike every other module. */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Compiled code is kept for the next start, which then takes a sixth less processor time (decision 0041). Only what is
// imported after this line comes from there.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/berth', import.meta.url)))
// What Berth and the proxy that it starts write is for their own user alone.
process.umask(0o077)
const { start } = await import('./start.ts')
await start(process.env)
