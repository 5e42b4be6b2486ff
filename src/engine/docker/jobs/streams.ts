/**
 * The connections to a job's container: its outputs and, on one of its own, its input, for a write that fails would
 * take the output with it. Knows no container.
 */
import type { Duplex } from 'node:stream'
import { Readable, Writable } from 'node:stream'
import { frames } from '../transport/frames.ts'
import { unavailable } from '../transport/errors.ts'
import { EngineUnavailable } from '../../engine.ts'
import { InputClosed } from '../../job.ts'

const bufferBytes = 256 * 1024

export interface Outputs {
  /** Without its end, which is pushed when it is known to be one. */
  stdout: Readable
  /** When all was pushed; rejected where the connection breaks, or ends within a frame. */
  whole: Promise<void>
}

/** Reads on only while `stdout` is read: the engine then holds up the container. */
export function outputsOf(socket: Duplex, onError: (part: Buffer) => void): Outputs {
  const { promise: whole, resolve, reject } = Promise.withResolvers<void>()
  const stdout = new Readable({ highWaterMark: bufferBytes, read: () => void socket.resume() })
  const take = frames((stream, part) => {
    if (stream !== 1) onError(part)
    else if (!stdout.push(part)) socket.pause()
  })
  const broken = new EngineUnavailable('The connection to the job broke')
  socket.on('data', take)
  socket.on('end', () => {
    if (take.isWhole()) resolve()
    else reject(broken)
  })
  socket.on('error', (error) => reject(unavailable(error)))
  socket.on('close', () => reject(broken))
  whole.catch(() => undefined)
  return { stdout, whole }
}

/** Destroying it leaves the connection: its end would be the program's end of file. */
export function inputOf(socket: Duplex): Writable {
  const stdin = new Writable({
    highWaterMark: bufferBytes,
    write: (chunk: Buffer, _encoding, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
  })
  const close = () => {
    if (!stdin.writableFinished) stdin.destroy(new InputClosed())
  }
  socket.on('error', close).on('close', close).resume()
  // It may close before anybody listens.
  stdin.on('error', () => undefined)
  return stdin
}
