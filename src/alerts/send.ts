/** Sends a message to a channel. One attempt: loop.ts repeats it. */
import { createTransport } from 'nodemailer'
import { connectTcp, startTls } from '../lib/net/outgoing/connect-tcp.ts'
import { type Egress, EgressFault } from '../lib/net/egress.ts'
import { isLoopback } from '../lib/net/loopback.ts'
import { post } from '../lib/net/outgoing/post.ts'
import type { HttpRequest, Mail } from './channels/request.ts'
import type { DeliveryFault } from './fault.ts'

/** The limit of an attempt by a person who waits for the answer. */
export const testTimeoutMs = 10_000

/** The limits of an attempt. Some mail servers check the content of a mail before they answer. */
export const timeoutsMs: Record<(HttpRequest | Mail)['type'], number> = { http: 10_000, mail: 120_000 }

export interface Attempt {
  /** Null: the receiver has accepted the message. */
  fault: DeliveryFault | null
  /** For how long the receiver asks to wait before the next attempt; null if it does not ask. */
  retryAfterMs: number | null
  /** The beginning of what the receiver answered. It is not stored, because it may contain anything. */
  answer: string
  /** The recipients of a mail that have accepted it, although the server refused others. */
  acceptedBy: readonly string[]
}

/** Never throws. @param stopping ends the attempt early */
export async function send(
  request: HttpRequest | Mail,
  egress: Egress,
  timeoutMs: number,
  stopping?: AbortSignal,
): Promise<Attempt> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = stopping === undefined ? timeout : AbortSignal.any([timeout, stopping])
  try {
    return request.type === 'http'
      ? await sendRequest(request, egress, signal)
      : await sendMail(request, egress, signal)
  } catch (error) {
    const fault: DeliveryFault = timeout.aborted
      ? { reason: 'AnswerTimeout', seconds: timeoutMs / 1000 }
      : faultOf(error)
    return { fault, retryAfterMs: null, answer: '', acceptedBy: [] }
  }
}

async function sendRequest({ url, headers, body }: HttpRequest, egress: Egress, signal: AbortSignal): Promise<Attempt> {
  const { status, retryAfterMs, text: answer } = await post(url, headers, body, egress, signal)
  const fault: DeliveryFault | null = status >= 200 && status < 300 ? null : { reason: 'HttpStatus', status }
  return { fault, retryAfterMs, answer, acceptedBy: [] }
}

/** Without TLS a mail goes only to a mail server on this machine. */
async function sendMail(mail: Mail, egress: Egress, signal: AbortSignal): Promise<Attempt> {
  const { protocol, hostname, port } = new URL(mail.url)
  const secure = protocol === 'smtps:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = await connectTcp(host, Number(port || (secure ? 465 : 587)), egress, signal)
  const abort = () => socket.destroy(new Error('aborted'))
  signal.addEventListener('abort', abort)
  try {
    const connection = secure ? await startTls(socket, host) : socket
    const transport = createTransport({
      host,
      connection,
      secure,
      secured: secure,
      requireTLS: !secure && !isLoopback(host),
      ignoreTLS: !secure && isLoopback(host),
      ...(mail.login !== null && { auth: { user: mail.login.username, pass: mail.login.password } }),
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    const { from, to, subject, text, messageId } = mail
    const headers = { 'Auto-Submitted': 'auto-generated' }
    return attemptOf(await transport.sendMail({ from, to: [...to], subject, text, messageId, headers }))
  } finally {
    signal.removeEventListener('abort', abort)
    socket.destroy()
  }
}

interface SendError {
  code?: unknown
  responseCode?: unknown
  recipient?: unknown
  response?: unknown
}

interface Sent {
  response: string
  accepted: readonly string[]
  rejected: readonly string[]
  rejectedErrors?: readonly SendError[] | undefined
}

/** The server has accepted the mail for at least one recipient. */
function attemptOf({ response, accepted, rejected, rejectedErrors = [] }: Sent): Attempt {
  const error = rejectedErrors.find(isTemporary) ?? rejectedErrors[0]
  if (error === undefined) return { fault: null, retryAfterMs: null, answer: response, acceptedBy: [] }
  const { code, responseCode } = error
  const fault = faultOf({ code, responseCode, rejected })
  const answer = rejectedErrors.map((each) => `${String(each.recipient)}: ${String(each.response)}`).join('; ')
  return { fault, retryAfterMs: null, answer, acceptedBy: accepted }
}

const isTemporary = ({ responseCode }: SendError) => typeof responseCode !== 'number' || responseCode < 500

/** Only codes: the text of an error may contain the URL or what the receiver answered. */
function faultOf(error: unknown): DeliveryFault {
  if (error instanceof EgressFault) return { reason: 'AddressRefused', detail: error.reason }
  const { code, responseCode, rejected = [] } = error as SendError & { rejected?: readonly string[] }
  const text = typeof code === 'string' && /^[A-Z_0-9]{1,60}$/.test(code) ? code : 'unknown'
  if (text === 'ETLS' || /CERT|SELF_SIGNED|UNABLE_TO/.test(text)) return { reason: 'TlsUnavailable' }
  if (typeof responseCode === 'number') {
    if (text === 'EAUTH') return { reason: 'LoginRefused', code: responseCode }
    const isContent = text === 'EMESSAGE' && ({ isContent: true } as const)
    return {
      reason: 'MailRefused',
      code: responseCode,
      ...(rejected.length > 0 && { recipients: rejected }),
      ...isContent,
    }
  }
  return { reason: 'NoAnswer', code: text }
}
