/** The type of a table of messages, with a message for each reason of a union. */

/** For each reason of a union, a function that returns the message. */
export type Messages<U extends { reason: string }> = {
  [R in U['reason']]: (reason: Extract<U, { reason: R }>) => string
}

/** The codes of the reasons, in the order of the table. */
export const reasonNames = <U extends { reason: string }>(messages: Messages<U>) =>
  Object.keys(messages) as [U['reason'], ...U['reason'][]]
