/** Renders what a rotation waits for as a sentence. No decision depends on the sentences. Pure. */
import { type Messages, reasonNames } from '../deployments/reason-message.ts'
import type { RotationReason } from './rotation.ts'

const messages: Messages<RotationReason> = {
  EnginesLackTrust: ({ generation, signing }) =>
    `Berth adds generation ${generation} to the engines of all nodes. Generation ${signing} signs until all have it`,
  ClientsLackTrust: ({ generation, signing }) =>
    `Generation ${signing} signs until you finish the rotation. Install the certificate of generation ${generation} ` +
    'on all clients first (installation.ca)',
  OldCertificatesInUse: ({ generation }) =>
    `Generation ${generation} signs. The older generation stays trusted until its certificates are replaced`,
}

/** The codes of all reasons, for the response schema. */
export const rotationReasons = reasonNames(messages)

/** Returns the sentence for a reason. */
export function rotationMessage(reason: RotationReason): string {
  const render = messages[reason.reason] as (reason: RotationReason) => string
  return render(reason)
}
