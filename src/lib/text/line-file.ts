/**
 * Lines to a file or a pipe, one write after the other and never in the way of anything else. What cannot be written
 * (a full disk) waits, so much of it as there is room for, and is tried again.
 */
import { openSync, write, writeSync } from 'node:fs'

export interface LineFile {
  /** `lines` are whole, with the end of the last. */
  add(lines: string): void
  /** At the end of the process: what waits is written when this returns, or lost where it cannot be. */
  flush(): void
}

/** In characters. */
const maxWaiting = 1024 * 1024
const againMs = 500
/** Of a flush, where a pipe is full: it takes something again once it is read. */
const maxTries = 20
const tryAgainMs = 50

/**
 * `place` is the path of a file, or the number of one that is open. `onLost` is called once lines are taken again, with
 * how many were not, and with the error that kept them; null where they came faster than they were read.
 */
export function openLineFile(place: string | number, onLost: (count: number, error: Error | null) => void): LineFile {
  const file = typeof place === 'number' ? place : openSync(place, 'a')
  let waiting = ''
  /** What is being written; the rest of it, where it was taken in part. */
  let chunk: Buffer = Buffer.alloc(0)
  let state: 'idle' | 'writing' | 'resting' = 'idle'
  let fault: Error | null = null
  let lost = 0
  return { add, flush }

  function add(lines: string) {
    if (waiting.length + lines.length > maxWaiting) lost += lines.split('\n').length - 1
    else waiting += lines
    if (state === 'idle') writeNext()
  }

  function writeNext() {
    takeNext()
    state = chunk.length === 0 ? 'idle' : 'writing'
    if (state === 'writing') write(file, chunk, 0, chunk.length, null, written)
  }

  function takeNext() {
    if (chunk.length === 0) [chunk, waiting] = [Buffer.from(waiting), '']
  }

  function written(error: Error | null, count: number) {
    if (error === null) {
      chunk = chunk.subarray(count)
      tellLost()
      return writeNext()
    }
    fault = error
    state = 'resting'
    setTimeout(writeNext, againMs).unref()
  }

  function tellLost() {
    const [count, cause] = [lost, fault]
    fault = null
    lost = 0
    if (count > 0) onLost(count, cause)
  }

  /** What a thread writes at this moment is left to it. */
  function flush() {
    let rest = Buffer.from(waiting)
    if (state !== 'writing') rest = Buffer.concat([chunk, rest])
    for (let tries = 0; rest.length > 0 && tries < maxTries; ) {
      try {
        rest = rest.subarray(writeSync(file, rest))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
        tries++
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, tryAgainMs)
      }
    }
  }
}
