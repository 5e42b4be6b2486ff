/** The request for a message, by the type of the channel. Pure. */
import type { Message } from '../message.ts'
import type { ChannelType } from '../table.ts'
import { discordRequest } from './discord.ts'
import { mailOf } from './email.ts'
import { ntfyRequest } from './ntfy.ts'
import type { HttpRequest, Mail } from './request.ts'
import type { ChannelSettings } from './settings.ts'
import { slackRequest } from './slack.ts'
import { telegramRequest } from './telegram.ts'
import { webhookRequest } from './webhook.ts'

type RequestOf = (settings: ChannelSettings, message: Message, now: Date) => HttpRequest | Mail

const requests: Record<ChannelType, RequestOf> = {
  webhook: webhookRequest,
  slack: slackRequest,
  discord: discordRequest,
  telegram: telegramRequest,
  ntfy: ntfyRequest,
  email: mailOf,
}

/** @param now the time of the attempt */
export const requestOf = (
  type: ChannelType,
  settings: ChannelSettings,
  message: Message,
  now: Date,
): HttpRequest | Mail => requests[type](settings, message, now)
