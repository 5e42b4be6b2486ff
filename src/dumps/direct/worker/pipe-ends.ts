/** Opens the worker's ends of the named pipes. */
import { execFile } from 'node:child_process'
import { open } from 'node:fs'
import { Socket } from 'node:net'
import { promisify } from 'node:util'
import { type IdleLimit, withIdleTimeout, writeWithin } from '../../idle.ts'
import type { Bytes } from '../../streams.ts'
import { type PipeName, pipeNames, pipePath } from '../pipes.ts'

/** A tool transferred no byte for the limit's time. */
export class ToolIdle extends Error {}

/** A tool closed its input before it had read all of it. */
export class PipeClosed extends Error {}

export interface PipeEnds {
  /** Reads what a tool writes, to the end of its output. */
  read(name: PipeName): Bytes
  /** Writes to the input of a tool. Closes the pipe only if `source` ends without an error. */
  write(name: PipeName, source: Bytes): Promise<void>
  /** Closes all pipes that are open. */
  close(): void
}

/** Makes all pipes in an empty folder. */
export async function makePipes(folder: string): Promise<void> {
  await promisify(execFile)('mkfifo', ['-m', '600', ...pipeNames.map((name) => pipePath(name, folder))])
}

export function pipeEnds(folder: string, idleMs: number): PipeEnds {
  const opened = new Set<Socket>()
  let isClosed = false
  const openEnd = async (name: PipeName, flags: 'r' | 'w') => {
    const pipe = await openPipe(pipePath(name, folder), flags)
    opened.add(pipe)
    if (isClosed) pipe.destroy()
    return pipe
  }
  const limit: IdleLimit = { ms: idleMs, failure: () => new ToolIdle('The tool transferred no byte') }
  return {
    async *read(name) {
      yield* withIdleTimeout(await openEnd(name, 'r'), limit)
    },
    async write(name, source) {
      const pipe = await openEnd(name, 'w')
      // Each write reports the error, too.
      pipe.on('error', () => undefined)
      let lastWrite: Promise<void> = Promise.resolve()
      for await (const piece of source) {
        await lastWrite
        lastWrite = writeWithin(pipe, piece, limit).catch((error: unknown) => {
          throw (error as NodeJS.ErrnoException).code === 'EPIPE' ? new PipeClosed('The tool closed its input') : error
        })
        lastWrite.catch(() => undefined)
      }
      await lastWrite
      await new Promise<void>((resolve, reject) => {
        pipe.once('error', reject)
        pipe.end(resolve)
      })
    },
    close() {
      isClosed = true
      for (const pipe of opened) pipe.destroy()
    },
  }
}

/** Opens a pipe, which waits for the other end without a time limit: Berth knows whether the tool runs. */
function openPipe(path: string, flags: 'r' | 'w'): Promise<Socket> {
  const [used, unused] = flags === 'r' ? ['readable', 'writable'] : ['writable', 'readable']
  return new Promise((resolve, reject) => {
    open(path, flags, (error, descriptor) => {
      if (error) reject(error)
      // A socket waits without a thread, unlike a file stream.
      else resolve(new Socket({ fd: descriptor, [used!]: true, [unused!]: false }))
    })
  })
}
