/** Renders the reasons of failed deliveries as sentences. Pure. */
import { type Messages, reasonNames } from '../deployments/reason-message.ts'
import type { DeliveryFault } from './fault.ts'

const messages: Messages<DeliveryFault> = {
  HttpStatus: ({ status }) => `The receiver answered with HTTP status ${status}`,
  NoAnswer: ({ code }) => `The receiver did not answer (${code})`,
  AnswerTimeout: ({ seconds }) => `The receiver did not answer within ${seconds} seconds`,
  AddressRefused: ({ detail }) => detail,
  MailRefused: ({ code, recipients = [], isContent }) =>
    isContent === true
      ? `The mail server refused the text of the message with code ${code}`
      : `The mail server refused ${refused(recipients)} with code ${code}. Check the sender and the recipients`,
  LoginRefused: ({ code }) => `The mail server refused the login with code ${code}. Check username and secret`,
  TlsUnavailable: () =>
    'The connection to the mail server cannot be encrypted, or its certificate is not valid. Use smtps:// if the ' +
    'server expects TLS from the start',
}

const maxNamed = 3

function refused(recipients: readonly string[]): string {
  if (recipients.length === 0) return 'the message'
  const more = recipients.length - maxNamed
  return `${recipients.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** The codes of all reasons, for the response schema. */
export const deliveryFaults = reasonNames(messages)

/** Returns the sentence for a fault. */
export function faultMessage(fault: DeliveryFault): string {
  const render = messages[fault.reason] as (fault: DeliveryFault) => string
  return render(fault)
}
