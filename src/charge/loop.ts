/** The loop that notices when another Berth takes charge of the swarm, also while there is nothing to change. */
import type { Loop } from '../lib/async/loop.ts'
import type { Runtime } from '../runtime.ts'

export function chargeLoop({ gate }: Runtime): Loop<'charge'> {
  return {
    name: 'charge',
    periodMs: 4000,
    async turn() {
      await gate.check('read')
      return 'idle'
    },
  }
}
