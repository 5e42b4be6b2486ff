/**
 * The clock of Berth. The last reading at which the clock of the machine was right is in the store; `judge` compares
 * each reading with it.
 */
import { setMeta } from '../store/meta.ts'
import type { Reader, Writer } from '../store/schema.ts'
import type { ClockSource } from './source.ts'
import { agree, type ClockReading, type Judgement, judge } from './trust.ts'

export interface Clock {
  /**
   * The time for records and schedules: the clock of the machine, but the time that Berth has counted since the last
   * trusted time if the machine's clock was set.
   */
  now(): Date
  /**
   * The later of the clock of the machine and the counted time. It decides whether sessions, tokens and invitations are
   * valid, and dates them. So an expired one stays expired when the clock is set back.
   */
  latest(): Date
  /** The time by which records may be deleted; null while the clock is not trusted. */
  trusted(): Date | null
  /** A reading of the clock, how it is judged, and the last trusted reading. */
  read(): ClockState
  /**
   * Stores a reading as trusted. Call the returned function after the commit: it makes the reading count.
   */
  trust(tx: Writer, reading: ClockReading): Promise<() => void>
}

export interface ClockState extends Judgement {
  reading: ClockReading
  lastTrusted: ClockReading
}

const metaKey = 'trustedTime'

/** Opens the clock. The first start trusts the clock of the machine, because there is nothing that could be deleted. */
export async function openClock(db: Reader, source: ClockSource): Promise<Clock> {
  const stored = await db.selectFrom('meta').select('value').where('key', '=', metaKey).executeTakeFirst()
  let lastTrusted = stored === undefined ? readingOf(source) : (JSON.parse(stored.value) as ClockReading)
  const read = (): ClockState => {
    const reading = readingOf(source)
    return { ...judge(lastTrusted, reading), reading, lastTrusted }
  }
  return {
    read,
    now: () => new Date(read().nowMs),
    latest: () => new Date(read().latestMs),
    trusted() {
      const { reason, nowMs } = read()
      return reason === null ? new Date(nowMs) : null
    },
    async trust(tx, reading) {
      await setMeta(tx, metaKey, JSON.stringify(reading))
      return () => {
        lastTrusted = reading
      }
    },
  }
}

const readingOf = ({ now, uptimeMs, bootId }: ClockSource): ClockReading => ({
  wallMs: now().getTime(),
  uptimeMs: Math.round(uptimeMs()),
  bootId,
})

/** Whether the time of a witness agrees with a reading. */
export const isConfirmedBy = (witness: Date, { wallMs }: ClockReading): boolean => agree(witness.getTime(), wallMs)
