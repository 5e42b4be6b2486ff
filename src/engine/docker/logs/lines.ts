/**
 * Docker's logs in lines. Each frame is a time, a space, and a line or a piece of one: the engine cuts what is over
 * 16 KiB, and all pieces bear the time of the first. Pure.
 */
import { frames } from '../transport/frames.ts'
import type { LogLine } from '../../engine.ts'

/** Of one line; what is beyond is dropped. */
const maxBytes = 1024 * 1024
const lineEnd = 0x0a
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/

/** What was heard of a line, in bytes: a piece may end in the middle of a character. */
interface Begun {
  at: string
  pieces: Buffer[]
  size: number
}

export interface LogReader {
  /** How many pieces came. */
  count(): number
  /** In pieces of any size. */
  take(bytes: Buffer): void
  /** Passes on what has no end of line. */
  end(): void
}

/** `onTrouble`: the engine says in the middle of the log what is wrong. */
export function logReader(onLine: (line: LogLine) => void, onTrouble: (words: string) => void): LogReader {
  const begun = new Map<number, Begun>()
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
  return { take, end: () => [...begun.keys()].forEach(passOn), count: () => count }

  function onFrame(stream: number, bytes: Buffer) {
    const at = bytes.toString('latin1', 0, Math.max(0, bytes.indexOf(' ')))
    const isLog = (stream === 1 || stream === 2) && time.test(at)
    if (!isLog) return onTrouble(bytes.toString().trim())
    if (begun.get(stream)?.at !== at) passOn(stream)
    const line = begun.get(stream) ?? { at, pieces: [], size: 0 }
    const piece = bytes.subarray(at.length + 1)
    if (line.size < maxBytes) line.pieces.push(piece)
    line.size += piece.length
    begun.set(stream, line)
    if (piece.at(-1) === lineEnd) passOn(stream)
  }

  function passOn(stream: number) {
    const line = begun.get(stream)
    if (line === undefined) return
    begun.delete(stream)
    const text = Buffer.concat(line.pieces)
      .toString()
      .replace(/\r?\n$/, '')
    onLine({ at: line.at, stream: stream === 1 ? 'stdout' : 'stderr', line: text })
  }
}

/** All of this text together, in characters: what a log of many long lines may take of Berth's memory. */
const maxCharacters = 16 * 1024 * 1024

/** Keeps the newest lines, however they come: the engine sends one container's after the other's. */
export function newestLines(tail: number): { add(line: LogLine): void; sorted(): LogLine[] } {
  let kept: LogLine[] = []
  let size = 0
  return {
    add(line) {
      kept.push(line)
      size += line.line.length
      if (kept.length > 2 * tail + 100 || size > 2 * maxCharacters) trim()
    },
    sorted() {
      trim()
      return kept
    },
  }

  function trim() {
    kept = kept.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).slice(-tail)
    size = 0
    const last = kept.findLastIndex(({ line }) => {
      size += line.length
      return size > maxCharacters
    })
    kept = kept.slice(last + 1)
    size = kept.reduce((sum, { line }) => sum + line.length, 0)
  }
}
