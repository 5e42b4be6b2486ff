/**
 * Reads the lines of Docker's logs. Each frame contains a time, a space, and a line or a piece of a line. The engine
 * splits a line over 16 KiB into pieces. All of them have the time of the first piece. Also keeps the newest of the
 * lines. Pure.
 */
import { frames } from '../transport/frames.ts'
import type { LogLine } from '../../engine.ts'

/** The limit of one line in bytes. The rest of a longer line is dropped. */
const maxBytes = 1024 * 1024
const lineEnd = 0x0a
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/

/** The pieces of an incomplete line. Stored as bytes, because a piece may end in the middle of a character. */
interface PartialLine {
  at: string
  pieces: Buffer[]
  size: number
}

export interface LogReader {
  /** Returns the number of pieces so far. */
  count(): number
  /** Accepts bytes in chunks of any size. */
  take(bytes: Buffer): void
  /** Emits the incomplete lines, which have no line end. */
  end(): void
}

/** @param onError called with each error message that the engine inserts into the log */
export function logReader(onLine: (line: LogLine) => void, onError: (message: string) => void): LogReader {
  const partial = new Map<number, PartialLine>()
  let frame: Buffer[] = []
  let size = 0
  let count = 0
  const take = frames((stream, part, isLast) => {
    if (size < maxBytes) frame.push(part)
    size += part.length
    if (!isLast) return
    count++
    onFrame(stream, Buffer.concat(frame))
    frame = []
    size = 0
  })
  return { take, end: () => [...partial.keys()].forEach(emit), count: () => count }

  function onFrame(stream: number, bytes: Buffer) {
    const at = bytes.toString('latin1', 0, Math.max(0, bytes.indexOf(' ')))
    const isLog = (stream === 1 || stream === 2) && time.test(at)
    if (!isLog) return onError(bytes.toString().trim())
    if (partial.get(stream)?.at !== at) emit(stream)
    const line = partial.get(stream) ?? { at, pieces: [], size: 0 }
    const piece = bytes.subarray(at.length + 1)
    if (line.size < maxBytes) line.pieces.push(piece)
    line.size += piece.length
    partial.set(stream, line)
    if (piece.at(-1) === lineEnd) emit(stream)
  }

  function emit(stream: number) {
    const line = partial.get(stream)
    if (line === undefined) return
    partial.delete(stream)
    const text = Buffer.concat(line.pieces)
      .toString()
      .replace(/\r?\n$/, '')
    onLine({ at: line.at, stream: stream === 1 ? 'stdout' : 'stderr', line: text })
  }
}

/** The limit of all kept lines together, in characters. Limits the memory for a log of long lines. */
const maxCharacters = 16 * 1024 * 1024

/** Collects the newest `tail` lines. Lines may arrive in any order: the engine sends them container by container. */
export function newestLines(tail: number): { add(line: LogLine): void; sorted(): LogLine[] } {
  let lines: LogLine[] = []
  let size = 0
  return {
    add(line) {
      lines.push(line)
      size += line.line.length
      if (lines.length > 2 * tail + 100 || size > 2 * maxCharacters) trim()
    },
    sorted() {
      trim()
      return lines
    },
  }

  function trim() {
    lines = lines.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).slice(-tail)
    size = 0
    const lastDropped = lines.findLastIndex(({ line }) => {
      size += line.length
      return size > maxCharacters
    })
    lines = lines.slice(lastDropped + 1)
    size = lines.reduce((sum, { line }) => sum + line.length, 0)
  }
}
