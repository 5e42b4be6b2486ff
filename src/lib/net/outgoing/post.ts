/** A POST request to a URL that an administrator has set. Follows no redirects. */
import http from 'node:http'
import https from 'node:https'
import type { Readable } from 'node:stream'
import { answerOf } from '../answer-of.ts'
import type { Egress } from '../egress.ts'

export interface Answer {
  status: number
  /** For how long the receiver asks to wait, in milliseconds; null if it does not ask. */
  retryAfterMs: number | null
  /** The beginning of the answer, as text. */
  text: string
}

const maxAnswerBytes = 1000

/** @throws EgressFault if requests must not go to the address, or the error of node:http if there was no answer */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  egress: Egress,
  signal: AbortSignal,
): Promise<Answer> {
  const isPlain = new URL(url).protocol === 'http:'
  const { request } = isPlain ? http : https
  const agent = isPlain ? egress.httpAgent({}) : egress.httpsAgent({})
  const bytes = Buffer.from(body)
  const sent = { 'user-agent': 'berth', 'content-length': bytes.length, ...headers }
  const response = await answerOf(request(url, { method: 'POST', agent, signal, headers: sent }).end(bytes))
  // From here on the status is known. headOf returns what it has when the connection fails.
  const { statusCode: status = 0, headers: answered } = response
  const retryAfterMs = retryAfterOf(answered['retry-after'], new Date())
  return { status, retryAfterMs, text: await headOf(response, maxAnswerBytes) }
}

/** The header Retry-After: seconds or a date. Source: RFC 9110 section 10.2.3. */
export function retryAfterOf(text: string | undefined, now: Date): number | null {
  if (text === undefined) return null
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

/** Reads until the stream ends, fails or has sent `maxBytes`, then closes it. */
async function headOf(stream: Readable, maxBytes: number): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      parts.push(part)
      length += part.length
      if (length >= maxBytes) break
    }
  } catch {
    // The receiver has answered with its status. The rest of the text is only for people.
  }
  return Buffer.concat(parts).subarray(0, maxBytes).toString()
}
