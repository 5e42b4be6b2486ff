/** Renders why a server does not present the certificate that it should. No decision depends on the sentences. Pure. */
import { type Messages, reasonNames } from '../../deployments/reason-message.ts'
import type { CertificateReason } from './reason.ts'

const messages: Messages<CertificateReason> = {
  CertificateRefused: ({ detail }) => `The server refused a new certificate and keeps the former one: ${detail}`,
  CertificateNotReplaced: ({ detail }) => `Berth could not replace the certificate: ${detail}`,
  CertificateUnknown: ({ detail }) => `Berth could not find out which certificate the server presents: ${detail}`,
}

/** The codes of all reasons, for the response schema. */
export const certificateReasons = reasonNames(messages)

/** Returns the sentence for a reason. */
export function certificateReasonMessage(reason: CertificateReason): string {
  const render = messages[reason.reason] as (reason: CertificateReason) => string
  return render(reason)
}
