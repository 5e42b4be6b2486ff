/** Entry point of the command line. */
import { run } from './program.ts'

const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort())
process.exitCode = await run(process.argv.slice(2), process.env, process, interrupted.signal)
