/** Messages to a webhook, signed as Standard Webhooks specifies (standardwebhooks.com). Pure. */
import { createHmac } from 'node:crypto'
import type { Message } from '../message.ts'
import { type HttpRequest, jsonRequest } from './request.ts'
import { type ChannelSettings, signingKey } from './settings.ts'

/** @param now the time of the attempt, which is signed, so that receivers can refuse old requests */
export function webhookRequest({ url, secret }: ChannelSettings, message: Message, now: Date): HttpRequest {
  const { id, state, severity, key, title, items, more, link, at } = message
  const data = { state, severity, key, title, conditions: items, more, link }
  const unsigned = jsonRequest(url, { type: `alert.${state}`, timestamp: at, data })
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signature = createHmac('sha256', signingKey(secret!))
    .update(`${id}.${timestamp}.${unsigned.body}`)
    .digest('base64')
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
  return { ...unsigned, headers: { ...unsigned.headers, ...headers } }
}
