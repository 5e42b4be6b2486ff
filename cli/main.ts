/** Entry point of the command line. */
import { run } from './program.ts'

const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort())
// The reader of a pipe, such as `head`, has seen enough.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1))
// Ends requests that nobody waits for any more.
process.exit(await run(process.argv.slice(2), process.env, process, interrupted.signal))
