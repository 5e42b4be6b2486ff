/** Entry point of the command line. */
import { createWriteStream } from 'node:fs'
import { Socket } from 'node:net'
import { run } from './program.ts'

const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort())
// Node's own stream for a file reports success if a full disk takes only a part of the bytes.
const isFile = !(process.stdout instanceof Socket)
const stdout = isFile ? createWriteStream('', { fd: 1 }) : process.stdout
// Ends requests that nobody waits for any more.
process.exit(await run(process.argv.slice(2), process.env, { stdout, stderr: process.stderr }, interrupted.signal))
