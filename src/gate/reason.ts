/** Why Berth holds back changes: a closed union with parameters. reason-message.ts renders sentences. */

export type GateReason =
  /** Berth's state was restored from a backup, and nobody has confirmed yet that it is the newest one. */
  | { reason: 'StateUnconfirmed' }
  /** An upgrade started this version, and has not confirmed it yet. Until then it may go back to the version before. */
  | { reason: 'UpgradeUnconfirmed'; from: string; to: string }
  /** Another process with a copy of the store controls the swarm. `host`: the name of its machine. */
  | { reason: 'NotInCharge'; host: string; since: string }
