/** Reads the events of a record from the store. */
import type { App } from '../../src/api/services.ts'
import type { EventTable } from '../../src/events/table.ts'

/** The events of a kind, oldest first. @param recordId undefined: of all records */
export function recordedEvents(
  { db }: Pick<App, 'db'>,
  { kind, recordId }: { kind: EventTable['kind']; recordId?: string },
): Promise<EventTable[]> {
  const events = db.selectFrom('event').selectAll().where('kind', '=', kind).orderBy('seq')
  return (recordId === undefined ? events : events.where('recordId', '=', recordId)).execute()
}
