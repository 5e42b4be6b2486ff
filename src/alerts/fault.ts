/** Why a message was not delivered, as data, and what follows for the next attempt. Pure. */

export type DeliveryFault =
  | { reason: 'HttpStatus'; status: number }
  | { reason: 'NoAnswer'; code: string }
  | { reason: 'AnswerTimeout'; seconds: number }
  | { reason: 'AddressRefused'; detail: string }
  /** `isContent`: the server took the sender and recipients, and refused the text. */
  | { reason: 'MailRefused'; code: number; recipients?: readonly string[]; isContent?: true }
  | { reason: 'LoginRefused'; code: number }
  | { reason: 'TlsUnavailable' }

/** The waits after the first, second, ... failed attempt. The last one repeats. */
const waitsMs = [5_000, 15_000, 60_000, 300_000, 900_000]
/** A receiver cannot ask for a longer wait, and no wait is longer. */
export const maxWaitMs = 3600_000
/** After this time Berth gives a message up. */
export const lifetimeMs = 24 * 3600_000

/** The statuses of an answer that the same request can get another answer than. */
const temporaryStatuses: readonly number[] = [408, 425, 429]
/** The statuses that concern the content of the message. */
const contentStatuses: readonly number[] = [400, 413, 422]

/**
 * The time until the next attempt, in milliseconds.
 * @param attempts the attempts so far, at least 1
 * @param retryAfterMs what the receiver asks for; null if it asks for nothing
 */
export function retryWaitMs(fault: DeliveryFault, attempts: number, retryAfterMs: number | null): number {
  const backoffMs = isPermanent(fault) ? waitsMs.at(-1)! : waitsMs[Math.min(attempts, waitsMs.length) - 1]!
  return Math.max(backoffMs, Math.min(retryAfterMs ?? 0, maxWaitMs))
}

/** Whether nothing changes until a person corrects the channel. */
export function isPermanent(fault: DeliveryFault): boolean {
  switch (fault.reason) {
    case 'HttpStatus':
      return fault.status >= 300 && fault.status < 500 && !temporaryStatuses.includes(fault.status)
    case 'MailRefused':
      return fault.code >= 500
    case 'LoginRefused':
    case 'AddressRefused':
    case 'TlsUnavailable':
      return true
    default:
      return false
  }
}

/** Whether only this message is refused, so that later messages need not wait for it. */
export const concernsMessage = (fault: DeliveryFault): boolean =>
  (fault.reason === 'HttpStatus' && contentStatuses.includes(fault.status)) ||
  (isMailRefusal(fault) && fault.isContent === true)

/** Whether the mail server refuses the message for good. */
export const isMailRefusal = (fault: DeliveryFault): fault is Extract<DeliveryFault, { reason: 'MailRefused' }> =>
  fault.reason === 'MailRefused' && isPermanent(fault)
