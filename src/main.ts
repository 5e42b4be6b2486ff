/** The entry: acts when it is run, unlike every other module. */
import { start } from './start.ts'

// What Berth and the proxy that it starts write is for their own user alone.
process.umask(0o077)
await start(process.env)
