/** Whether a rule is in force, and why not. */
import { State } from '../../components/state.tsx'

export function Applied({ rule: { applied, reason } }: { rule: { applied: boolean; reason: string | null } }) {
  return (
    <>
      {applied ? <State tone="good">in force</State> : <State tone="warning">not in force</State>}
      {reason !== null && <div class="small">{reason}</div>}
    </>
  )
}
