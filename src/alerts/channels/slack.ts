/** Messages to an incoming webhook of Slack (docs.slack.dev/messaging). Pure. */
import { joinWithin, linesOf, type Message, shortened } from '../message.ts'
import { escapedMarkup, type HttpRequest, jsonRequest } from './request.ts'
import type { ChannelSettings } from './settings.ts'

/** The limits that Slack documents for a header and a section. */
const maxHeader = 150
const maxSection = 3000

export function slackRequest({ url }: ChannelSettings, message: Message): HttpRequest {
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })
  const lines = [...linesOf(message), ...(message.link === null ? [] : [message.link])]
  return jsonRequest(url, {
    // For notifications. Slack reads control sequences such as <!channel> only in `text`.
    text: escapedMarkup(shortened(message.title, 300)),
    unfurl_links: false,
    blocks: [
      { type: 'header', text: plain(shortened(message.title, maxHeader)) },
      { type: 'section', text: plain(joinWithin(lines, maxSection)) },
    ],
  })
}
