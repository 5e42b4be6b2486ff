/**
 * Streams over the connections to a job's container. Input and output use separate connections, because a failed write
 * ends its connection, and the output would end with it.
 */
import type { Duplex } from 'node:stream'
import { Readable, Writable } from 'node:stream'
import { frames } from '../transport/frames.ts'
import { unavailable } from '../transport/errors.ts'
import { EngineUnavailable } from '../../engine.ts'
import { InputClosed } from '../../job.ts'

const bufferBytes = 256 * 1024

export interface Outputs {
  /** Has no end: `superviseJob` in engine/job.ts pushes the final null. */
  stdout: Readable
  /** Has no end, either; null if standard error is not streamed. */
  stderr: Readable | null
  /** Resolves after all output was pushed. Rejects if the connection breaks or ends within a frame. */
  complete: Promise<void>
}

/**
 * Separates the two outputs of a job. While the buffer of one of them is full, the connection is paused, and the engine
 * blocks the container's writes.
 * @param onStderr called with each part of standard error
 * @param hasStderr whether to stream standard error, too
 */
export function outputsOf(socket: Duplex, onStderr: (part: Buffer) => void, hasStderr = false): Outputs {
  const { promise: complete, resolve, reject } = Promise.withResolvers<void>()
  const output = () => new Readable({ highWaterMark: bufferBytes, read: () => void socket.resume() })
  const [stdout, stderr] = [output(), hasStderr ? output() : null]
  const take = frames((stream, part) => {
    if (stream !== 1) onStderr(part)
    const hasRoom = stream === 1 ? stdout.push(part) : stderr?.push(part)
    if (hasRoom === false) socket.pause()
  })
  const broken = new EngineUnavailable('The connection to the job broke')
  socket.on('data', take)
  socket.on('end', () => {
    if (take.isComplete()) resolve()
    else reject(broken)
  })
  socket.on('error', (error) => reject(unavailable(error)))
  socket.on('close', () => reject(broken))
  complete.catch(() => undefined)
  return { stdout, stderr, complete }
}

/** The output of a terminal. Its stream has no frames, and standard error is part of it. */
export function terminalOutputOf(socket: Duplex): Outputs {
  const { promise: complete, resolve, reject } = Promise.withResolvers<void>()
  const stdout = new Readable({ highWaterMark: bufferBytes, read: () => void socket.resume() })
  socket.on('data', (part: Buffer) => {
    if (!stdout.push(part)) socket.pause()
  })
  socket.on('end', resolve)
  socket.on('error', (error) => reject(unavailable(error)))
  socket.on('close', () => reject(new EngineUnavailable('The connection to the job broke')))
  complete.catch(() => undefined)
  return { stdout, stderr: null, complete }
}

/**
 * Returns the standard input of a job. Destroying this stream leaves the connection open, because the program would
 * read the end of the connection as end of file.
 */
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
  // The stream may fail before anybody listens for errors.
  stdin.on('error', () => undefined)
  return stdin
}
