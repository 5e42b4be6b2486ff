/** The loaded lines of a log: at most 10,000, the newest ones. Pure. */
import type { LogLine } from '../../../../client/client.ts'

export const maxLines = 10_000

export interface Line {
  /** A growing number, as the key of the row. */
  key: number
  /** ISO 8601, to the nanosecond. */
  at: string
  stream: 'stdout' | 'stderr'
  /** Without control characters. */
  text: string
}

export interface LogBuffer {
  lines: readonly Line[]
  /** How many older lines were dropped to keep the page fluid. */
  dropped: number
}

export const emptyBuffer: LogBuffer = { lines: [], dropped: 0 }

export function appended({ lines, dropped }: LogBuffer, more: readonly Line[]): LogBuffer {
  if (more.length === 0) return { lines, dropped }
  const all = lines.concat(more)
  const excess = Math.max(0, all.length - maxLines)
  return { lines: excess === 0 ? all : all.slice(excess), dropped: dropped + excess }
}

const escapes = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b[@-_]/g
const controls = /[\u0000-\u0008\u000b-\u001f\u007f]/g

/** The line without colours of terminals and without control characters. */
export const plainText = (text: string): string =>
  text.replace(escapes, '').replace(controls, '').replaceAll('\t', '    ')

export const lineOf = (key: number, { at, stream, line }: LogLine): Line => ({ key, at, stream, text: plainText(line) })

export type StreamChoice = 'both' | 'stdout' | 'stderr'

export const ofStream = (lines: readonly Line[], stream: StreamChoice): readonly Line[] =>
  stream === 'both' ? lines : lines.filter((line) => line.stream === stream)

/** The positions of the lines that contain the text, without regard to case. */
export function hitsIn(lines: readonly Line[], needle: string): number[] {
  const wanted = needle.trim().toLowerCase()
  if (wanted === '') return []
  return lines.flatMap(({ text }, at) => (text.toLowerCase().includes(wanted) ? [at] : []))
}

export interface Part {
  text: string
  isHit: boolean
}

/** Divides a line into hits and what is between them. */
export function partsOf(text: string, needle: string): Part[] {
  const wanted = needle.trim().toLowerCase()
  if (wanted === '') return [{ text, isHit: false }]
  const lower = text.toLowerCase()
  // Some letters change their length: then nothing is marked.
  if (lower.length !== text.length) return [{ text, isHit: false }]
  const parts: Part[] = []
  let from = 0
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
    if (at > from) parts.push({ text: text.slice(from, at), isHit: false })
    from = at + wanted.length
    parts.push({ text: text.slice(at, from), isHit: true })
  }
  if (from < text.length || parts.length === 0) parts.push({ text: text.slice(from), isHit: false })
  return parts
}

/** The lines as the text of a file. */
export const fileText = (lines: readonly Line[]): string =>
  lines.map(({ at, stream, text }) => `${at} ${stream} ${text}\n`).join('')

/**
 * Tells which lines are new after the connection was lost: Berth repeats the lines of the last known time.
 * @param last the last known lines, oldest first
 */
export function resumeFilter(last: readonly Line[]): (line: LogLine) => boolean {
  const end = last.at(-1)?.at ?? ''
  const repeated = last.filter(({ at }) => at === end).length
  let count = 0
  return ({ at }) => {
    if (at > end) return true
    if (at === end) count++
    return at === end && count > repeated
  }
}
