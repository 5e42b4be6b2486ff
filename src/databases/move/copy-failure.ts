/** Why a copy of a move failed. */
import type { CopyReason, DataPlaceReason, DataReason } from '../../deployments/reason.ts'
import { reasonMessage } from '../../deployments/reason-message.ts'

export type CopyFailureReason = CopyReason | DataReason | DataPlaceReason

/** A failure of a copy with a reason for the deployment. */
export class CopyFailure extends Error {
  readonly reason: CopyFailureReason

  constructor(reason: CopyFailureReason) {
    super(reasonMessage(reason))
    this.reason = reason
  }
}

/** The maximum length of an error message or an item's name in a reason. */
export const maxDetailLength = 2000

export const reasonOf = (error: Error): CopyFailureReason =>
  error instanceof CopyFailure
    ? error.reason
    : { reason: 'CopyFailed', detail: error.message.slice(0, maxDetailLength) }
