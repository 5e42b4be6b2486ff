/**
 * Appends lines to a file or a pipe without blocking, one write at a time. Lines that cannot be written, for example on
 * a full disk, wait in a buffer of limited size and are retried later. Lines that do not fit into the buffer are lost.
 */
import { openSync, write, writeSync } from 'node:fs'

export interface LineFile {
  /** Adds complete lines. The last one ends with a line feed too. */
  add(lines: string): void
  /**
   * Writes the waiting lines before it returns. Call this at the end of the process: lines that cannot be written are
   * lost.
   */
  flush(): void
}

const maxWaitingCharacters = 1024 * 1024
const retryMs = 500
/** A flush retries while a pipe is full, because its reader makes room. */
const maxFlushRetries = 20
const flushRetryMs = 50

/**
 * @param place the path of a file, or an open file descriptor
 * @param onLost called after the next successful write if lines were lost: with their number, and with the error that
 * prevented writing, or null if lines came faster than they could be written
 */
export function openLineFile(place: string | number, onLost: (count: number, error: Error | null) => void): LineFile {
  const file = typeof place === 'number' ? place : openSync(place, 'a')
  let waitingLines = ''
  /** The lines being written. After a partial write, the rest of them. */
  let chunk: Buffer = Buffer.alloc(0)
  let state: 'idle' | 'writing' | 'resting' = 'idle'
  let fault: Error | null = null
  let lost = 0
  return { add, flush }

  function add(lines: string) {
    if (waitingLines.length + lines.length > maxWaitingCharacters) lost += lines.split('\n').length - 1
    else waitingLines += lines
    if (state === 'idle') writeNext()
  }

  function writeNext() {
    fillChunk()
    state = chunk.length === 0 ? 'idle' : 'writing'
    if (state === 'writing') write(file, chunk, 0, chunk.length, null, written)
  }

  function fillChunk() {
    if (chunk.length === 0) [chunk, waitingLines] = [Buffer.from(waitingLines), '']
  }

  function written(error: Error | null, count: number) {
    if (error === null) {
      chunk = chunk.subarray(count)
      reportLost()
      return writeNext()
    }
    fault = error
    state = 'resting'
    setTimeout(writeNext, retryMs).unref()
  }

  function reportLost() {
    const [count, cause] = [lost, fault]
    fault = null
    lost = 0
    if (count > 0) onLost(count, cause)
  }

  function flush() {
    let rest = Buffer.from(waitingLines)
    // While a write is under way, its thread writes the chunk.
    if (state !== 'writing') rest = Buffer.concat([chunk, rest])
    for (let retries = 0; rest.length > 0 && retries < maxFlushRetries; ) {
      try {
        rest = rest.subarray(writeSync(file, rest))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
        retries++
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, flushRetryMs)
      }
    }
  }
}
