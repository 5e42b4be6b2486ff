/** What the history tells about each database for its conditions: how large its data was, and whether its clients left. */
import type { ReadPast, Idle } from '../conditions/usage.ts'
import type { Log } from '../lib/log.ts'
import type { DatabaseValues } from '../samples/sample.ts'
import type { History } from './file.ts'
import { daySeconds, levels, type Point } from './levels.ts'

/** The steps of ten minutes: a volume is counted as often. */
const level = levels[1]!

/** The days before the idle hours. They tell how many transactions there used to be. */
const usualDays = 7
/** Fewer transactions can be those of Berth itself and of the health check, which make up to 0.4 (Redis). */
const idlePerSecond = 1
/** Below this mean, a database has no steady clients, so idle hours tell nothing. */
const busyPerSecond = 4

/** The part of the idle hours that must have been measured: a database that was stopped meanwhile was not idle. */
const measuredPart = 0.9
/** So long after its end, a step is complete in the history: it is folded with the next sample. */
const foldSeconds = 120

interface Entry {
  bytes: number | undefined
  dayMaxBytes: number
  /** Undefined: too little was measured to tell. */
  idle: Idle | null | undefined
  readAtMs: number
}

/**
 * Reads the history of a database again only when its data has another size, or after ten minutes. A database whose
 * history cannot be read has no past: a damaged file must not end the watching of everything else. The first of several
 * failures is logged.
 *
 * @param idleHours after how many hours without transactions a database is idle; null: it never is
 */
export function pastFrom(history: Pick<History, 'read'>, idleHours: number | null, log: Pick<Log, 'error'>): ReadPast {
  let entries = new Map<string, Entry>()
  let isFailing = false
  return (latest, now) => {
    const failures: unknown[] = []
    const rows = [...(latest?.databases ?? [])].flatMap(([id, values]) => {
      try {
        return [[id, entryOf(id, values, now)] as const]
      } catch (error) {
        failures.push(error)
        return []
      }
    })
    if (failures.length > 0 && !isFailing) log.error('the history cannot be read', failures[0])
    isFailing = failures.length > 0
    entries = new Map(rows)
    return {
      dayMaxBytes: new Map(rows.map(([id, { dayMaxBytes }]) => [id, dayMaxBytes])),
      idle: new Map(rows.flatMap(([id, { idle }]) => (idle === undefined ? [] : [[id, idle]]))),
    }
  }

  function entryOf(id: string, { volumeBytes: bytes }: DatabaseValues, now: Date): Entry {
    const known = entries.get(id)
    const nowMs = now.getTime()
    if (known?.bytes === bytes && known !== undefined && Math.abs(nowMs - known.readAtMs) < level.seconds * 1000)
      return known
    const until = (Math.floor(nowMs / 1000 / level.seconds) + 1) * level.seconds
    const sizes = history.read(id, 'volumeBytes', level, until - daySeconds, until)
    const dayMaxBytes = Math.max(bytes ?? 0, ...sizes.map(({ max }) => max ?? 0))
    const idle = idleHours === null ? null : idleOf(id, nowMs / 1000, idleHours)
    return { bytes, dayMaxBytes, idle, readAtMs: nowMs }
  }

  function idleOf(id: string, nowSeconds: number, hours: number): Idle | null | undefined {
    const until = Math.floor((nowSeconds - foldSeconds) / level.seconds) * level.seconds
    const from = until - hours * 3600
    const read = (begin: number, end: number) => history.read(id, 'transactionsPerSecond', level, begin, end)
    const [usual, recent] = [read(from - usualDays * daySeconds, from), read(from, until)]
    const perSecond = meanOf(usual)
    if (perSecond === null || perSecond < busyPerSecond) return null
    if (recent.some(({ max }) => max !== null && max >= idlePerSecond)) return null
    const measured = recent.filter(({ max }) => max !== null).length
    return measured >= measuredPart * recent.length ? { hours, perSecond } : undefined
  }
}

function meanOf(points: readonly Point[]): number | null {
  const means = points.flatMap(({ mean }) => mean ?? [])
  return means.length === 0 ? null : means.reduce((sum, mean) => sum + mean, 0) / means.length
}
