/** The fields of channels: input, answer and the conversion of rows. */
import { z } from 'zod'
import { answeredIdOf, CreatedAt, Name } from '../../api/fields.ts'
import { ConditionNameField } from '../../conditions/operations/fields.ts'
import { conditionNames, severities } from '../../conditions/table.ts'
import { mask } from '../../lib/crypto/mask.ts'
import { fromJson } from '../../lib/json.ts'
import type { Reader } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'
import { refuse } from '../../errors.ts'
import { settingsOf } from '../channels/settings.ts'
import { deliveryFaults, faultMessage } from '../fault-message.ts'
import { type ChannelTable, channelTypes } from '../table.ts'

const text = (max: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .regex(/^[^\s\u0000-\u001f\u007f-\u009f]+$/, 'must not contain spaces or control characters')

const Projects = z.array(z.string().min(1).max(255)).max(1000).nullable()
const Conditions = z.array(ConditionNameField).max(conditionNames.length).nullable()

/** The input of channel.create and channel.update. */
export const channelInput = {
  name: Name.describe('Display name of the channel. Two channels cannot have the same name'),
  type: z.enum(channelTypes, `must be one of ${channelTypes.join(', ')}`).describe('What receives the messages'),
  url: text(2000).describe(
    'webhook, slack, discord: the URL of the webhook. telegram: https://api.telegram.org. ntfy: the URL of the topic. ' +
      'email: the mail server, smtps://HOST:465 or smtp://HOST:587. Berth stores it sealed, because it may be a secret',
  ),
  secret: text(1000)
    .nullable()
    .default(null)
    .describe(
      'webhook: the signing secret; null: Berth makes one. telegram: the token of the bot. ntfy: an access token or ' +
        'null. email: the password or null. Berth stores it sealed',
    ),
  username: text(255).nullable().default(null).describe('email: the account on the mail server; null: no login'),
  sender: text(255).nullable().default(null).describe('email: the address that messages come from'),
  recipients: z
    .array(text(255))
    .max(50, 'must have at most 50 elements')
    .default([])
    .describe('email: the addresses that get the messages. telegram: the id of the chat'),
  minSeverity: z
    .enum(severities, 'must be info, warning or critical')
    .default('warning')
    .describe('The lowest severity of a condition that causes messages'),
  projectIds: Projects.default(null).describe(
    'Only conditions of these projects; null: those of all projects, and those that belong to no project',
  ),
  conditions: Conditions.default(null).describe('Only conditions with these names; null: all'),
  repeatHours: z
    .number()
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(720, 'must be at most 720')
    .nullable()
    .default(24)
    .describe('The hours after which a message is repeated while the condition is present; null: never'),
  enabled: z.boolean().default(true).describe('Whether messages are made and sent'),
}

const Masked = z.literal(mask)

/** Why the last failed attempt to deliver a message failed. */
export const lastFault = {
  lastError: z.string().nullable().describe('Why the last failed attempt failed, as a message'),
  lastErrorCode: z
    .enum(deliveryFaults)
    .nullable()
    .meta({ title: 'DeliveryFault' })
    .describe('The code of that reason, for programs'),
}

export const Channel = z.object({
  channelId: answeredIdOf('channel'),
  name: z.string().describe('Display name of the channel'),
  type: z.enum(channelTypes).describe('What receives the messages'),
  url: Masked.describe('Always this mask. channel.update keeps the stored URL if it receives the mask'),
  server: z.string().describe('The host of the URL, with its port'),
  secret: Masked.nullable().describe(
    'This mask, or null if there is none. channel.update keeps the stored secret then',
  ),
  username: z.string().nullable().describe('email: the account on the mail server'),
  sender: z.string().nullable().describe('email: the address that messages come from'),
  recipients: z.array(z.string()).describe('email: the addresses that get the messages. telegram: the id of the chat'),
  minSeverity: z.enum(severities).describe('The lowest severity of a condition that causes messages'),
  projectIds: z.array(z.string()).nullable().describe('Only conditions of these projects; null: all, and of none'),
  conditions: z.array(ConditionNameField).nullable().describe('Only conditions with these names; null: all'),
  repeatHours: z.number().nullable().describe('The hours after which a message is repeated; null: never'),
  enabled: z.boolean().describe('Whether messages are made and sent'),
  lastSuccessAt: z.string().nullable().describe('When the receiver last accepted a message'),
  lastErrorAt: z.string().nullable().describe('When the last attempt failed'),
  ...lastFault,
  queued: z.number().describe('The number of messages that wait for their delivery'),
  oldestQueuedAt: z.string().nullable().describe('When the oldest of them was made'),
  gaveUp: z.number().describe('The number of messages of the last 30 days that Berth gave up after 24 hours'),
  createdAt: CreatedAt,
})

export async function findChannel(db: Reader, id: string): Promise<ChannelTable> {
  const row = await db.selectFrom('channel').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? refuse('NOT_FOUND', 'No channel with this id. channel.all lists all channels')
}

/** The channel as callers read it. */
export async function toChannel(db: Reader, vault: Vault, row: ChannelTable) {
  const { id, settings: _, projectIds, conditions, enabled, lastError, ...rest } = row
  const { url, secret, username, sender, recipients } = settingsOf(vault, row)
  const fault = fromJson(lastError)
  return {
    ...rest,
    channelId: id,
    url: mask as typeof mask,
    server: new URL(url).host,
    secret: secret === null ? null : (mask as typeof mask),
    username,
    sender,
    recipients: [...recipients],
    projectIds: projectIds === null ? null : [...fromJson(projectIds)],
    conditions: conditions === null ? null : [...fromJson(conditions)],
    enabled: enabled === 1,
    lastError: fault === null ? null : faultMessage(fault),
    lastErrorCode: fault?.reason ?? null,
    ...(await queueOf(db, id)),
  }
}

async function queueOf(db: Reader, channelId: string) {
  const rows = await db
    .selectFrom('delivery')
    .select(['state'])
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('createdAt').as('oldestAt')])
    .where('channelId', '=', channelId)
    .groupBy('state')
    .execute()
  const of = (state: string) => rows.find((row) => row.state === state)
  const waiting = of('waiting')
  return {
    queued: Number(waiting?.count ?? 0),
    oldestQueuedAt: waiting?.oldestAt ?? null,
    gaveUp: Number(of('gaveUp')?.count ?? 0),
  }
}
