/** Whether the clock is trusted, as a Prometheus metric. */
import type { Family } from '../lib/prometheus.ts'
import type { Clock } from './clock.ts'

export const clockFamily = (clock: Clock): Family => ({
  name: 'berth_clock_trusted',
  help: 'Whether Berth trusts the clock of the machine (1) or not (0). While it does not, nothing is deleted for its age.',
  samples: [[{}, clock.trusted() === null ? 0 : 1]],
})
