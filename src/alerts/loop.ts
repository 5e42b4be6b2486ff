/**
 * The loop of alerts. A turn compares the present conditions with what each channel was notified of, and writes the
 * messages that are due with the new state in one transaction. Then it sends the waiting messages, without waiting for the
 * receivers. docs/decisions/0063-alerts.md says why nothing is lost in a crash.
 */
import type { Loop } from '../lib/async/loop.ts'
import type { Runtime } from '../runtime.ts'
import { deliveriesOf, type DeliveryFigures } from './deliver.ts'
import type { Plan } from './plan.ts'
import { plansAt } from './plans.ts'
import { waitingDeliveries, writePlan } from './queries.ts'

export interface Alerts {
  loop: Loop<'alerts'>
  /** The attempts since the start of Berth. */
  figures(): DeliveryFigures
}

export function alertsOf(runtime: Runtime): Alerts {
  const { db, transact, now, newId } = runtime
  const deliveries = deliveriesOf(runtime)
  return { loop: { name: 'alerts', periodMs: 15_000, turn, stop: deliveries.ended }, figures: deliveries.figures }

  async function turn(stopping: AbortSignal) {
    const at = now()
    if ((await plansAt(db, at)).some(hasWork)) {
      await transact(async (tx) => {
        for (const plan of await plansAt(tx, at)) await writePlan(tx, plan, newId, at.toISOString())
      })
    }
    deliveries.start(await waitingDeliveries(db), stopping)
    return 'idle' as const
  }
}

const hasWork = ({ messages, silent }: Plan) => messages.length + silent.length > 0
