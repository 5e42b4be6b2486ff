/** Queries on the events, and the deletion of old ones. */
import { type Kysely, sql } from 'kysely'
import { setMeta } from '../store/meta.ts'
import { prepared } from '../store/prepared.ts'
import type { Reader, Schema, Writer } from '../store/schema.ts'
import type { EventTable } from './table.ts'

/** The maximum number of events that one query reads. It limits the memory of a stream. */
export const pageSize = 100
/** The maximum number of events that are kept, also if they are newer than a day. */
const maxKept = 1_000_000

export interface EventPage {
  /** The oldest `pageSize` events after the requested number. */
  events: EventTable[]
  /** The number of the last event when the page was read. */
  newest: number
  /** Whether events after the requested number were deleted, or the number was never given to an event. */
  isGap: boolean
}

/** The number of the last event, also if it was deleted. SQLite keeps it for a column with `autoincrement`. */
const sequence = sql<{ seq: number }>`(select "seq" from "sqlite_sequence" where "name" = 'event')`.as('last')
const lastSeq = prepared((db) => db.selectFrom(sequence).select('seq'))
const firstSeq = prepared((db) => db.selectFrom('event').select('seq').orderBy('seq').limit(1))
const rowsAfter = prepared((db, seq: number) =>
  db.selectFrom('event').selectAll().where('seq', '>', seq).orderBy('seq').limit(pageSize),
)

/** The number of the last event; 0 if there was none. */
export async function newestEvent(db: Reader): Promise<number> {
  return (await lastSeq(db))[0]?.seq ?? 0
}

/**
 * Reads the events after a number. The queries are not one transaction, so their order matters: an event that is added
 * in between is on the page and newer than `newest`, and an event that is deleted in between is a gap.
 */
export async function eventsAfter(db: Reader, seq: number): Promise<EventPage> {
  const newest = await newestEvent(db)
  const events = await rowsAfter(db, seq)
  const oldest = (await firstSeq(db))[0]?.seq ?? newest + 1
  return { events, newest, isGap: seq > newest || seq < oldest - 1 }
}

/** A trusted time, and the number of the last event at this time. */
interface Mark {
  atMs: number
  seq: number
}

const marksKey = 'eventMarks'
const markPeriodMs = 1800_000
const keptMs = 24 * 3600_000

/**
 * Deletes events older than a day, and the oldest of too many. The times of events are those of SQLite's clock, which
 * may have been wrong when they were written. So marks tell their age: numbers of events at trusted times. An event
 * that is newer than the newest old mark is kept.
 * @param now null while the clock is not trusted: no event counts as old
 */
export async function forgetOldEvents(tx: Writer, now: Date | null): Promise<void> {
  const oldSeq = now === null ? 0 : await markEvents(tx, now.getTime())
  const last = await newestEvent(tx)
  await tx
    .deleteFrom('event')
    .where('seq', '<=', Math.max(oldSeq, last - maxKept))
    .execute()
}

/** Stores a mark, and forgets the old ones. Returns the number of the newest old event. */
async function markEvents(tx: Writer, nowMs: number): Promise<number> {
  const stored = await tx.selectFrom('meta').select('value').where('key', '=', marksKey).executeTakeFirst()
  const marks = (JSON.parse(stored?.value ?? '[]') as Mark[]).filter(({ atMs }) => atMs <= nowMs)
  const [old, young] = [
    marks.filter(({ atMs }) => atMs <= nowMs - keptMs),
    marks.filter(({ atMs }) => atMs > nowMs - keptMs),
  ]
  const newest = marks.at(-1)
  const isDue = newest === undefined || newest.atMs <= nowMs - markPeriodMs
  const added = isDue ? [{ atMs: nowMs, seq: await newestEvent(tx) }] : []
  await setMeta(tx, marksKey, JSON.stringify([...young, ...added]))
  return old.at(-1)?.seq ?? 0
}

/**
 * Deletes all events, for a store that was restored from a backup. The next event gets a number that is greater than
 * every number that clients know: the time in milliseconds.
 */
export async function restartEvents(tx: Writer, now: Date): Promise<void> {
  const last = Math.max(now.getTime(), (await newestEvent(tx)) + 1)
  await tx.deleteFrom('event').execute()
  await sql`delete from "sqlite_sequence" where "name" = 'event'`.execute(tx as Kysely<Schema>)
  await sql`insert into "sqlite_sequence" ("name", "seq") values ('event', ${last})`.execute(tx as Kysely<Schema>)
}
