/** Messages as mails. Pure. */
import { domainToASCII } from 'node:url'
import { linesOf, type Message, shortened } from '../message.ts'
import type { Mail } from './request.ts'
import type { ChannelSettings } from './settings.ts'

/** A subject on one line. RFC 5322 section 2.1.1 recommends at most 78 characters a line; nodemailer folds longer ones. */
const maxSubject = 200

export function mailOf({ url, secret, username, sender, recipients }: ChannelSettings, message: Message): Mail {
  const link = message.link === null ? [] : ['', message.link]
  return {
    type: 'mail',
    url,
    login: username === null || secret === null ? null : { username, password: secret },
    // The same in repeats, so that mail programs show a repeat only once.
    messageId: `<${message.id}@${sender!.split('@').at(-1)}>`,
    from: sender!,
    to: recipients,
    subject: shortened(message.title, maxSubject),
    text: `${[message.title, '', ...linesOf(message), ...link].join('\n')}\n`,
  }
}

/** The recipients without those that have accepted the message. */
export function recipientsLeft(recipients: readonly string[], acceptedBy: readonly string[]): string[] {
  const accepted = new Set(acceptedBy.map(comparable))
  return recipients.filter((each) => !accepted.has(comparable(each)))
}

/** Libraries for mail write the domain of an address in ASCII and in lower case. */
function comparable(address: string): string {
  const end = address.lastIndexOf('@') + 1
  const domain = address.slice(end)
  return address.slice(0, end) + (domainToASCII(domain) || domain)
}
