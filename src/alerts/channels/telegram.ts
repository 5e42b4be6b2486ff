/** Messages of a bot of Telegram (core.telegram.org/bots/api#sendmessage). Pure. */
import { joinWithin, linesOf, type Message } from '../message.ts'
import { escapedMarkup, type HttpRequest, jsonRequest } from './request.ts'
import type { ChannelSettings } from './settings.ts'

const maxText = 4096

export function telegramRequest({ url, secret, recipients }: ChannelSettings, message: Message): HttpRequest {
  const lines = [`<b>${escapedMarkup(message.title)}</b>`, ...linesOf(message).map(escapedMarkup)]
  return jsonRequest(`${url.replace(/\/+$/, '')}/bot${secret}/sendMessage`, {
    chat_id: recipients[0],
    text: joinWithin([...lines, ...(message.link === null ? [] : [escapedMarkup(message.link)])], maxText),
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
  })
}
