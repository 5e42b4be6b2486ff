/** The operations on channels, to which Berth sends messages about conditions. */
import { z } from 'zod'
import { action, command, query } from '../../api/contract.ts'
import { cutPage, idOf, page, refuseMask } from '../../api/fields.ts'
import { refuse, refuseField } from '../../errors.ts'
import { mask, maskerOf } from '../../lib/crypto/mask.ts'
import { toJson } from '../../lib/json.ts'
import type { Writer } from '../../store/schema.ts'
import { requestOf } from '../channels/request-of.ts'
import {
  type ChannelSettings,
  checkSettings,
  newSigningSecret,
  sealSettings,
  secretParts,
  settingsOf,
} from '../channels/settings.ts'
import { faultMessage } from '../fault-message.ts'
import { messageOf, shortened, storedTest } from '../message.ts'
import { recordChannelError, recordChannelSuccess, retryNow } from '../queries.ts'
import { send, testTimeoutMs } from '../send.ts'
import type { ChannelTable } from '../table.ts'
import { Channel, channelInput, findChannel, toChannel } from './fields.ts'

/** All channels are sent to at the same time, so their number is limited. */
const maxChannels = 50

const WithSigningSecret = Channel.extend({
  signingSecret: z
    .string()
    .nullable()
    .describe('The signing secret that Berth made for a webhook. Only this answer has it; null if Berth made none'),
})

type Input = z.output<z.ZodObject<typeof channelInput>>

/** The columns of the rules. */
const rulesOf = ({ name, type, minSeverity, projectIds, conditions, repeatHours, enabled }: Input) => ({
  name,
  type,
  minSeverity,
  projectIds: projectIds === null ? null : toJson<readonly string[]>(projectIds),
  conditions: conditions === null ? null : toJson<NonNullable<typeof conditions>>(conditions),
  repeatHours,
  enabled: enabled ? (1 as const) : (0 as const),
})

/** The settings in the input. @param made the signing secret if none is given */
const settingsIn = ({ type, url, secret, username, sender, recipients }: Input, made: string): ChannelSettings => ({
  url,
  secret: secret ?? (type === 'webhook' ? made : null),
  username,
  sender,
  recipients,
})

async function checkProjects(tx: Writer, projectIds: Input['projectIds']) {
  for (const id of projectIds ?? []) {
    const project = await tx.selectFrom('project').select('id').where('id', '=', id).executeTakeFirst()
    if (project === undefined) refuseField('projectIds', 'No project with this id. project.all lists them', 'NOT_FOUND')
  }
}

/** Refuses a name that another channel has, because commands find a channel by its name. */
async function checkName(tx: Writer, name: string) {
  const other = await tx.selectFrom('channel').select('id').where('name', '=', name).executeTakeFirst()
  if (other !== undefined) refuseField('name', 'is the name of another channel. Choose another one', 'CONFLICT')
}

export const create = command({
  name: 'channel.create',
  summary: 'Create a channel: where Berth sends messages about conditions',
  description: 'Berth sends messages about the present conditions at once. channel.test sends a test message.',
  access: 'admin:admin',
  input: z.object(channelInput),
  output: WithSigningSecret,
  refusals: ['CONFLICT', 'NOT_FOUND'],
  async run({ tx, config, vault, now, newId, wake }, input) {
    if (input.url === mask) refuseMask('url')
    if (input.secret === mask) refuseMask('secret')
    const made = newSigningSecret()
    const settings = settingsIn(input, made)
    checkSettings(input.type, settings, config.egress)
    await checkProjects(tx, input.projectIds)
    await checkName(tx, input.name)
    const { count } = await tx
      .selectFrom('channel')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (Number(count) >= maxChannels) refuse('CONFLICT', `There are ${maxChannels} channels. Remove one first`)
    const id = newId()
    const none = { lastSuccessAt: null, lastErrorAt: null, lastError: null }
    const columns = { id, settings: sealSettings(vault, id, settings), ...none, createdAt: now().toISOString() }
    const row: ChannelTable = { ...rulesOf(input), ...columns }
    await tx.insertInto('channel').values(row).execute()
    wake('alerts')
    return { ...(await toChannel(tx, vault, row)), signingSecret: settings.secret === made ? made : null }
  },
})

export const update = command({
  name: 'channel.update',
  summary: 'Change a channel; the masks keep the stored URL and secret',
  description: 'Waiting messages are sent at once with the new values.',
  access: 'admin:admin',
  input: z.object({ channelId: idOf('channel'), ...channelInput }),
  output: WithSigningSecret,
  refusals: ['CONFLICT', 'NOT_FOUND'],
  async run({ tx, config, vault, now, wake }, { channelId, ...input }) {
    const before = await findChannel(tx, channelId)
    const stored = settingsOf(vault, before)
    if (input.secret === mask && (stored.secret === null || before.type !== input.type)) refuseMask('secret')
    // A secret must go neither to another server than the one that it was stored for, nor there without TLS.
    if (input.secret === mask && input.url !== mask && serverOf(input.url) !== serverOf(stored.url)) {
      refuseField('secret', 'must be sent again, because the URL has another scheme, host or port')
    }
    const made = newSigningSecret()
    const settings = settingsIn(
      {
        ...input,
        url: input.url === mask ? stored.url : input.url,
        secret: input.secret === mask ? stored.secret : input.secret,
      },
      made,
    )
    checkSettings(input.type, settings, config.egress)
    await checkProjects(tx, input.projectIds)
    // Channels of earlier versions can have the same name, and stay changeable.
    if (input.name !== before.name) await checkName(tx, input.name)
    const columns = { ...rulesOf(input), settings: sealSettings(vault, before.id, settings) }
    await tx.updateTable('channel').set(columns).where('id', '=', before.id).execute()
    await retryNow(tx, before.id, now().toISOString())
    wake('alerts')
    const answer = await toChannel(tx, vault, { ...before, ...columns })
    return { ...answer, signingSecret: settings.secret === made ? made : null }
  },
})

/** Scheme, host and port. `URL.origin` is `null` for mail servers. */
function serverOf(text: string): string {
  const url = URL.parse(text)
  return url === null ? text : `${url.protocol}//${url.host}`
}

export const one = query({
  name: 'channel.one',
  summary: 'Read a channel',
  access: 'admin:read',
  input: z.object({ channelId: idOf('channel') }),
  output: Channel,
  refusals: ['NOT_FOUND'],
  tag: {
    observed: ['lastSuccessAt', 'lastErrorAt', 'lastError', 'lastErrorCode', 'queued', 'oldestQueuedAt', 'gaveUp'],
  },
  async run({ db, vault, addToTag }, { channelId }) {
    const row = await findChannel(db, channelId)
    addToTag(settingsOf(vault, row))
    return toChannel(db, vault, row)
  },
})

export const all = query({
  name: 'channel.all',
  summary: 'List the channels with the state of their deliveries, oldest first',
  access: 'admin:read',
  input: z.object(page),
  output: z.array(Channel),
  async run({ db, vault, setNextCursor }, { limit, cursor = '' }) {
    let rows = db.selectFrom('channel').selectAll().where('id', '>', cursor).orderBy('id')
    if (limit !== undefined) rows = rows.limit(limit + 1)
    return Promise.all(cutPage(await rows.execute(), limit, setNextCursor).map((row) => toChannel(db, vault, row)))
  },
})

export const remove = command({
  name: 'channel.remove',
  summary: 'Remove a channel with its waiting messages',
  access: 'admin:admin',
  input: z.object({ channelId: idOf('channel') }),
  output: Channel,
  refusals: ['NOT_FOUND'],
  async run({ tx, vault }, { channelId }) {
    const row = await findChannel(tx, channelId)
    const answer = await toChannel(tx, vault, row)
    await tx.deleteFrom('delivery').where('channelId', '=', row.id).execute()
    await tx.deleteFrom('notification').where('channelId', '=', row.id).execute()
    await tx.deleteFrom('channel').where('id', '=', row.id).execute()
    return answer
  },
})

export const test = action({
  name: 'channel.test',
  summary: 'Send a test message to a channel',
  description:
    'The call sends the message once, also to a disabled channel, and waits at most 10 seconds for the receiver. After ' +
    'a success Berth sends the waiting messages at once.',
  access: 'admin:admin',
  input: z.object({ channelId: idOf('channel') }),
  recordOf: null,
  output: z.object({
    messageId: z.string().describe('The id of the message'),
    answer: z.string().describe('The beginning of what the receiver answered'),
  }),
  refusals: ['NOT_FOUND', 'BAD_GATEWAY'],
  async run({ db, config, vault, now, newId, transact, conclude }, { channelId }) {
    const row = await findChannel(db, channelId)
    const [settings, messageId] = [settingsOf(vault, row), newId()]
    const stored = storedTest(now().toISOString())
    const message = messageOf(messageId, stored, config.publicUrl?.origin ?? null)
    const { fault, answer } = await send(requestOf(row.type, settings, message, now()), config.egress, testTimeoutMs)
    const masked = maskerOf(secretParts(settings))
    const text = shortened(masked(answer), 300)
    const at = now().toISOString()
    if (fault !== null) {
      await transact((tx) => recordChannelError(tx, row.id, fault, at))
      refuse('BAD_GATEWAY', `${faultMessage(fault)}${text === '' ? '' : `: ${text}`}`, { reason: fault.reason })
    }
    return conclude(async (tx, wake) => {
      await recordChannelSuccess(tx, row.id, at)
      await retryNow(tx, row.id, at)
      wake('alerts')
      return { messageId, answer: text }
    })
  },
})
