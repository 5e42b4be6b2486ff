/** The events and their streams as Prometheus metrics. */
import type { Family } from '../lib/prometheus.ts'
import type { Reader } from '../store/schema.ts'
import type { EventFigures } from './follow.ts'
import { newestEvent } from './queries.ts'

export async function eventFamilies(db: Reader, { open, ended }: EventFigures): Promise<Family[]> {
  return [
    {
      name: 'berth_event_last_id',
      help: 'Id of the last event. Its increase is the number of changes of records.',
      samples: [[{}, await newestEvent(db)]],
    },
    { name: 'berth_event_streams', help: 'Number of open streams of events.', samples: [[{}, open]] },
    {
      name: 'berth_event_streams_ended_total',
      help: 'Number of streams of events that have ended, by reason.',
      type: 'counter',
      samples: Object.entries(ended).map(([reason, count]) => [{ reason }, count] as const),
    },
  ]
}
