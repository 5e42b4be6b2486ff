/** The reasons and decisions of an unconfirmed state: closed unions with parameters. message.ts renders sentences. */

import type { ElsewhereReason, VolumeUseReason } from '../../deployments/reason.ts'

/** Whether the volume has its data. `none`: it never had data. `unknown`: its node cannot be asked. */
export type DataState = 'present' | 'missing' | 'unknown' | 'none'

export const decisions = ['adopt', 'create', 'forget', 'start', 'stop', 'finish', 'keep', 'leave', 'remove'] as const
/**
 * - `adopt`: the record takes what runs. A service without a record gets one, after a login to its server
 * - `create`: the record stays; Berth creates the service again
 * - `forget`: the record is deleted; what runs and the data stay
 * - `start`, `stop`: the database should run, or stays stopped
 * - `finish`, `keep`: the removal or the deletion goes on, or is taken back
 * - `leave`: nothing changes
 * - `remove`: the temporary server is removed; its volume stays
 */
export type Decision = (typeof decisions)[number]

export type DifferenceReason =
  | { reason: 'AsRecorded' }
  /** The service mounts another volume, or runs on another node, than the state says. */
  | (Omit<ElsewhereReason, 'reason'> & { reason: 'OnOtherVolume' })
  | { reason: 'StoppedSince'; service: string; node: string; isNodeReady: boolean }
  | { reason: 'StartedSince'; service: string; volume: string; node: string }
  /** `usedBy`: others use the volume now; `nameTaken`: another service has the name. */
  | { reason: 'RemovedSince'; data: DataState; usedBy: VolumeUseReason | null; nameTaken: boolean }
  | {
      reason: 'InRemoval'
      removesData: boolean
      data: DataState
      service: string | null
      usedBy: VolumeUseReason | null
      nameTaken: boolean
    }
  | {
      reason: 'Unknown'
      service: string
      kind: string
      volume: string
      node: string
      image: string
      isRunning: boolean
    }
  | { reason: 'LeftFromMove'; service: string; volume: string; node: string }
  /** Objects of expired dumps that were not deleted yet. */
  | { reason: 'Expiring'; objects: number }

export const subjectKinds = ['database', 'service', 'installation'] as const

export interface Difference {
  subjectKind: (typeof subjectKinds)[number]
  /** The id of the database; the name of a service without a record. */
  subjectId: string
  name: string
  reason: DifferenceReason
  /** What can be decided; empty: there is no difference. */
  decisions: readonly Decision[]
  proposal: Decision | null
}

export interface Decided {
  difference: Difference
  decision: Decision
}
