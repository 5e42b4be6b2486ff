/** Renders the reasons of the gate as sentences for people. No decision depends on the sentences. Pure. */
import type { GateReason } from './reason.ts'

type Messages = { [N in GateReason['reason']]: (reason: Extract<GateReason, { reason: N }>) => string }

const messages: Messages = {
  StateUnconfirmed: () =>
    "Berth's state was restored from a backup, and changes wait until an administrator confirms it: berth state review",
  UpgradeUnconfirmed: ({ from, to }) =>
    `The upgrade from Berth ${from} to ${to} has not finished. Changes wait, because it may still go back to the state ` +
    'from before. If it was interrupted, finish it on this machine: berth upgrade --resume',
  NotInCharge: ({ host, since }) =>
    `Another Berth with the same state has controlled this swarm since ${since}, on the machine ${host}. This one ` +
    'changes nothing. To let this one take over: berth up --take-over',
}

/** The codes of all reasons. */
export const gateReasons = Object.keys(messages) as GateReason['reason'][]

/** Returns the sentence for a reason, with what a person can do. */
export function gateMessage(reason: GateReason): string {
  const render = messages[reason.reason] as (reason: GateReason) => string
  return render(reason)
}
