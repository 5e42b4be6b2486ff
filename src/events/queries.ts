/** Queries on the events, and the deletion of old ones. */
import { type Kysely, sql } from 'kysely'
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

/**
 * Deletes the oldest events up to the first one of the last day. The times of events are those of SQLite's clock, so
 * this reads the same clock. If that clock was wrong for some time, the times are not in order. Therefore a position
 * decides and not the time of each event: a gap between the events that are left would not be noticed. A time in the
 * future is wrong too.
 * @param isByAge false: deletes only the oldest of too many events, because the clock is not trusted
 */
export async function forgetOldEvents(tx: Writer, isByAge: boolean): Promise<void> {
  await sql`delete from "event" where "seq" < max(
    ${isByAge ? firstOfLastDay : sql.lit(0)},
    (select max("seq") + 1 - ${maxKept} from "event"))`.execute(tx as Kysely<Schema>)
}

const daysFromNow = (days: '-1' | '+1') => sql`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${`${days} day`})`

const firstOfLastDay = sql`coalesce(
  (select "seq" from "event"
    where "at" > ${daysFromNow('-1')} and "at" < ${daysFromNow('+1')} order by "seq" limit 1),
  (select max("seq") + 1 from "event"))`

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
