/** The error of a worker that cannot exchange data with the storage. Nothing was transferred. */
import type { StreamedReason } from '../streamed-reason.ts'
import { streamedReasonMessage } from '../streamed-reason-message.ts'

export class NotDirect extends Error {
  readonly reason: StreamedReason

  constructor(reason: StreamedReason, options?: ErrorOptions) {
    super(streamedReasonMessage(reason), options)
    this.name = 'NotDirect'
    this.reason = reason
  }
}
