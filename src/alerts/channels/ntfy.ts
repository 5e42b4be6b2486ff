/** Messages to a topic of ntfy (docs.ntfy.sh/publish, published as JSON). Pure. */
import type { Severity } from '../../conditions/table.ts'
import { joinWithin, linesOf, type Message } from '../message.ts'
import { type HttpRequest, jsonRequest } from './request.ts'
import { type ChannelSettings, topicOf } from './settings.ts'

/** ntfy turns a longer message into an attachment. The limit is in bytes; a character has at most three per code unit. */
const maxMessage = 4096 / 3

const priorities: Record<Severity, number> = { info: 2, warning: 3, critical: 5 }

export function ntfyRequest({ url, secret }: ChannelSettings, message: Message): HttpRequest {
  const { server, topic } = topicOf(url)!
  return jsonRequest(
    server,
    {
      topic,
      title: message.title,
      message: joinWithin(linesOf(message), maxMessage),
      priority: message.state === 'resolved' ? priorities.info : priorities[message.severity],
      ...(message.link !== null && { click: message.link }),
    },
    secret === null ? {} : { authorization: `Bearer ${secret}` },
  )
}
