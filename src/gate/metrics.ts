/** Whether changes are held back, as a Prometheus metric. */
import type { Family } from '../lib/prometheus.ts'
import type { Gate } from './gate.ts'
import { gateReasons } from './reason-message.ts'

/** One sample for each reason, also if nothing is held back: an alert needs the 0 of a healthy state. */
export function gateFamily(gate: Gate): Family {
  const present = gate.reason()?.reason
  return {
    name: 'berth_changes_held',
    help: '1 if changes are held back for this reason.',
    samples: gateReasons.map((reason) => [{ reason }, present === reason ? 1 : 0] as const),
  }
}
