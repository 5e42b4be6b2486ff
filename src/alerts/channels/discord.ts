/** Messages to a webhook of Discord (docs.discord.com/developers/resources/webhook). Pure. */
import { joinWithin, linesOf, type Message } from '../message.ts'
import { type HttpRequest, jsonRequest } from './request.ts'
import type { ChannelSettings } from './settings.ts'

const maxContent = 2000
/** Message flag: links have no previews. */
const suppressEmbeds = 4

export function discordRequest({ url }: ChannelSettings, message: Message): HttpRequest {
  const lines = [`**${escaped(message.title)}**`, ...linesOf(message).map(escaped)]
  return jsonRequest(url, {
    content: joinWithin([...lines, ...(message.link === null ? [] : [message.link])], maxContent),
    allowed_mentions: { parse: [] },
    flags: suppressEmbeds,
  })
}

/** Escapes Markdown, and the signs of mentions and channels. */
const escaped = (text: string) => text.replace(/[\\*_~`|>#[\]()<@-]/g, (sign) => `\\${sign}`)
