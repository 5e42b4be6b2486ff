/**
 * The gate: whether Berth may change anything now. Calls, loops, the engine and the storages ask it. Each feature that can
 * hold changes back provides a `Barrier`.
 */
import type { GateReason } from './reason.ts'

/**
 * - `change`: a change of records by a call, of the swarm, of a node, or a deletion in a storage
 * - `read`: a program that only reads databases, such as a dump or a login, but that starts a process or a container
 */
export type Work = 'change' | 'read'

/** One cause for which changes are held back. */
export interface Barrier {
  /** The reason as last known. Costs nothing. Null: this cause holds back nothing. */
  reason(): GateReason | null
  /** Updates the reason from a source outside this process. Never throws. Absent: only this process changes the reason. */
  refresh?(): Promise<void>
}

export interface Gate {
  /** Why this work is held back, as last known; null if Berth may do it. */
  reason(work?: Work): GateReason | null
  /**
   * Looks at the sources outside this process before it answers. Call this immediately before a change of the swarm or
   * a deletion in a storage.
   */
  check(work?: Work): Promise<GateReason | null>
}

/** Reading programs work before a person has confirmed the state: what they read cannot be lost by it. */
const allowsReading = ({ reason }: GateReason): boolean => reason === 'StateUnconfirmed'

/** @param barriers in the order in which a person has to remove the causes */
export function gateOf(barriers: readonly Barrier[]): Gate {
  const reason = (work: Work = 'change'): GateReason | null => {
    const reasons = barriers.map((barrier) => barrier.reason()).filter((it) => it !== null)
    return reasons.find((it) => work === 'change' || !allowsReading(it)) ?? null
  }
  return {
    reason,
    async check(work = 'change') {
      for (const barrier of barriers) await barrier.refresh?.()
      return reason(work)
    },
  }
}
