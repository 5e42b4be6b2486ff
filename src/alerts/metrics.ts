/** The queue of messages and the attempts to deliver them as Prometheus metrics. */
import type { Family } from '../lib/prometheus.ts'
import type { Reader } from '../store/schema.ts'
import type { DeliveryFigures } from './deliver.ts'
import { channelTypes } from './table.ts'

const results = ['sent', 'failed', 'gaveUp'] as const

/** One sample for each type of channel, also if there is no channel of this type. */
export async function alertFamilies(db: Reader, figures: DeliveryFigures): Promise<Family[]> {
  const rows = await db
    .selectFrom('delivery')
    .innerJoin('channel', 'channel.id', 'delivery.channelId')
    .select('channel.type')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('delivery.state', '=', 'waiting')
    .groupBy('channel.type')
    .execute()
  const queued = new Map(rows.map(({ type, count }) => [type, Number(count)]))
  return [
    {
      name: 'berth_alert_queue',
      help: 'Number of messages that wait for their delivery.',
      samples: channelTypes.map((type) => [{ type }, queued.get(type) ?? 0]),
    },
    {
      name: 'berth_alert_deliveries_total',
      help: 'Number of attempts to deliver a message since the start of Berth.',
      type: 'counter',
      samples: channelTypes.flatMap((type) =>
        results.map((result) => [{ type, result }, figures.get(`${type} ${result}`) ?? 0] as const),
      ),
    },
  ]
}
