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
  /**
   * The reason after a look at a source outside this process. Absent: only this process changes the reason.
   * @throws EngineUnavailable if the source does not answer
   */
  check?(): Promise<GateReason | null>
}

export interface Gate {
  /** Why this work is held back, as last known; null if Berth may do it. */
  reason(work?: Work): GateReason | null
  /**
   * Looks at the sources outside this process before it answers. Call this immediately before a change of the swarm or
   * a deletion in a storage.
   * @throws EngineUnavailable if a source does not answer
   */
  check(work?: Work): Promise<GateReason | null>
}

/** Reading programs work before a person has confirmed the state: what they read cannot be lost by it. */
const allowsReading = ({ reason }: GateReason): boolean => reason === 'StateUnconfirmed'

const holdsBack = (reason: GateReason | null, work: Work): reason is GateReason =>
  reason !== null && (work === 'change' || !allowsReading(reason))

/** @param barriers in the order in which a person has to remove the causes. A barrier behind a closed one is not asked */
export function gateOf(barriers: readonly Barrier[]): Gate {
  return {
    reason(work = 'change') {
      for (const barrier of barriers) {
        const reason = barrier.reason()
        if (holdsBack(reason, work)) return reason
      }
      return null
    },
    async check(work = 'change') {
      for (const barrier of barriers) {
        const reason = (await barrier.check?.()) ?? barrier.reason()
        if (holdsBack(reason, work)) return reason
      }
      return null
    },
  }
}
