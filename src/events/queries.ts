/** Queries on the events, and the deletion of old ones. */
import { type Kysely, sql } from 'kysely'
import type { Reader, Schema, Writer } from '../store/schema.ts'
import type { EventKind, EventTable } from './table.ts'

/** How long events are kept: a client that is away for longer reads its records anew. */
const keptMs = 24 * 3600_000

export interface EventFilter {
  kinds: readonly EventKind[] | null
  projectId: string | null
  recordId: string | null
  /** An account that is no administrator: it does not get the events for administrators, except those of itself. */
  limitedTo: string | null
}

/** The events after `seq` that pass the filter, oldest first. */
export function eventsAfter(db: Reader, seq: number, filter: EventFilter, limit: number): Promise<EventTable[]> {
  const { kinds, projectId, recordId, limitedTo } = filter
  return db
    .selectFrom('event')
    .selectAll()
    .where('seq', '>', seq)
    .$if(kinds !== null, (query) => query.where('kind', 'in', kinds!))
    .$if(projectId !== null, (query) => query.where('projectId', '=', projectId!))
    .$if(recordId !== null, (query) => query.where('recordId', '=', recordId!))
    .$if(limitedTo !== null, (query) =>
      query.where((eb) =>
        eb.or([eb('adminOnly', '=', 0), eb.and([eb('kind', '=', 'account'), eb('recordId', '=', limitedTo)])]),
      ),
    )
    .orderBy('seq')
    .limit(limit)
    .execute()
}

/** The oldest and the newest event. Without events, `oldest` is the number that the next event gets. */
export async function eventRange(db: Reader): Promise<{ oldest: number; newest: number }> {
  const range = await db
    .selectFrom('event')
    .select((eb) => [eb.fn.min('seq').as('oldest'), eb.fn.max('seq').as('newest')])
    .executeTakeFirstOrThrow()
  const newest = range.newest ?? (await lastSeq(db))
  return { oldest: range.oldest ?? newest + 1, newest }
}

/** The number of the last event, also if it was deleted. SQLite keeps it for a column with `autoincrement`. */
async function lastSeq(db: Reader): Promise<number> {
  const { seq } = await db
    .selectFrom(
      sql<{ seq: number | null }>`(select max("seq") as "seq" from "sqlite_sequence" where "name" = 'event')`.as(
        'last',
      ),
    )
    .select('seq')
    .executeTakeFirstOrThrow()
  return seq ?? 0
}

export async function forgetOldEvents(tx: Writer, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptMs).toISOString()
  await tx.deleteFrom('event').where('at', '<', before).execute()
}

/**
 * Deletes all events, for a store that was restored from a backup. The next event gets a number that is greater than
 * every number that clients know: the time in milliseconds.
 */
export async function restartEvents(tx: Writer, now: Date): Promise<void> {
  await tx.deleteFrom('event').execute()
  await sql`delete from "sqlite_sequence" where "name" = 'event'`.execute(tx as Kysely<Schema>)
  await sql`insert into "sqlite_sequence" ("name", "seq") values ('event', ${now.getTime()})`.execute(
    tx as Kysely<Schema>,
  )
}
