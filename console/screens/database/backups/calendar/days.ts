/** The days of the calendar with their runs. Pure, but for the time zone of the person. */
import type { Run } from '../../../../../client/client.ts'
import { bytesText, countText } from '../../../../data/format.ts'
import { isRefutation, type Proof, proofOf, proofs, proofWords } from '../runs/words.ts'

export interface Day {
  /** The beginning of the day in the person's time zone, in milliseconds. */
  from: number
  /** The beginning of the next day. */
  to: number
  /** The runs that began on this day, oldest first. */
  runs: Run[]
  /** How many dumps, or failed tests of dumps, have each proof. */
  counts: Partial<Record<Proof, number>>
  /** The newest good dump of the day, also if it is no longer kept. */
  newest: Run | null
}

export const calendarDays = 90

/** The time that a run belongs to. */
export const timeOf = (run: Run): number => Date.parse(run.startedAt ?? run.createdAt)

/**
 * The last 90 days, oldest first.
 * @param isDue whether a time of the schedule lies between both times in milliseconds
 */
export function daysOf(runs: readonly Run[], now: number, isDue: (from: number, to: number) => boolean): Day[] {
  const days = Array.from({ length: calendarDays }, (_, at) => emptyDay(now, calendarDays - 1 - at))
  for (const run of runs.toSorted((a, b) => timeOf(a) - timeOf(b))) {
    const at = timeOf(run)
    days.find(({ from, to }) => from <= at && at < to)?.runs.push(run)
  }
  return days.map((day) => ({ ...day, ...factsOf(day, isDue(day.from, Math.min(day.to, now))) }))
}

function emptyDay(now: number, daysAgo: number): Day {
  const date = new Date(now)
  const at = (ago: number) => new Date(date.getFullYear(), date.getMonth(), date.getDate() - ago).getTime()
  return { from: at(daysAgo), to: at(daysAgo - 1), runs: [], counts: {}, newest: null }
}

function factsOf({ runs }: Day, isDue: boolean): Pick<Day, 'counts' | 'newest'> {
  const counts: Partial<Record<Proof, number>> = {}
  const count = (proof: Proof) => {
    counts[proof] = (counts[proof] ?? 0) + 1
  }
  const dumps = runs.filter(({ action }) => action === 'dump')
  for (const dump of dumps) count(proofOf(dump))
  for (const drill of runs) if (isRefutation(drill)) count('failed')
  if (isDue && dumps.length === 0) count('missed')
  return { counts, newest: dumps.findLast(({ status }) => status === 'done') ?? null }
}

/** The proofs of a day, the best first. */
export const proofsOf = ({ counts }: Day): { proof: Proof; count: number }[] =>
  proofs.flatMap((proof) => (counts[proof] === undefined ? [] : [{ proof, count: counts[proof] }]))

export const dayText = (from: number): string =>
  new Date(from).toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })

/** The day as one sentence for a screen reader. */
export function daySentence(day: Day): string {
  const parts = proofsOf(day).map(({ proof, count }) => `${count} ${proofWords[proof].word}`)
  const size = day.newest?.sizeBytes
  const sizeText = typeof size === 'number' ? `. The newest good dump has ${bytesText(size)}` : ''
  const others = day.runs.filter(({ action }) => action !== 'dump').length
  const rest = others === 0 ? '' : `. ${countText(others, 'verification or restore', 'verifications or restores')}`
  return `${dayText(day.from)}: ${parts.length === 0 ? 'no dump' : parts.join(', ')}${sizeText}${rest}`
}

/** The column of a day in a week that begins on Monday, from 0. */
export const weekdayOf = (from: number): number => (new Date(from).getDay() + 6) % 7

/** Days between two beginnings of days; daylight saving time makes some of them longer. */
const daysBetween = (a: number, b: number) => Math.round((b - a) / 86_400_000)

/** The day that a key of the keyboard moves to; null: the key does not move. @param isByColumns a column is a week */
export function movedTo(key: string, at: number, days: readonly Day[], isByColumns: boolean): number | null {
  const [week, day] = isByColumns ? ['Left,Right', 'Up,Down'] : ['Up,Down', 'Left,Right']
  const step = (keys: string, size: number) => {
    const found = keys.split(',').indexOf(key.replace(/^Arrow/, ''))
    return found === -1 ? null : found === 0 ? -size : size
  }
  if (key === 'Home') return 0
  if (key === 'End') return days.length - 1
  const move = step(week!, 7) ?? step(day!, 1)
  if (move === null) return null
  const to = at + move
  return to >= 0 && to <= daysBetween(days[0]!.from, days.at(-1)!.from) ? to : at
}
