/** The operation that lists the messages about conditions: what was sent to which channel, and what waits. */
import { z } from 'zod'
import { query } from '../../api/contract.ts'
import { afterCursor, answeredIdOf, cutPage, Id, Order, page } from '../../api/fields.ts'
import { ConditionNameField, SubjectKindField } from '../../conditions/operations/fields.ts'
import { severities } from '../../conditions/table.ts'
import { fromJson } from '../../lib/json.ts'
import { faultMessage } from '../fault-message.ts'
import { messageOf } from '../message.ts'
import type { Reader } from '../../store/schema.ts'
import { type PostponedNews, minGapMs } from '../plan.ts'
import { plansAt } from '../plans.ts'
import { channelTypes, type DeliveryTable } from '../table.ts'
import { lastFault } from './fields.ts'

const states = ['waiting', 'sent', 'gaveUp'] as const

const abouts = ['raised', 'repeated', 'resolved'] as const

const Item = z.object({
  conditionId: z.string().describe('The id of the condition, as in condition.all'),
  name: ConditionNameField.describe('What needs attention'),
  severity: z.enum(severities).describe('The severity of the condition when the message was made'),
  subjectKind: SubjectKindField.describe('The kind of the record that needs attention'),
  subjectId: z.string().describe('The id of that record'),
  subjectName: z.string().describe('The name of that record'),
  path: z
    .string()
    .nullable()
    .describe('The path (project/name) of the database when the message was made; null for other subjects'),
  reason: z.string().describe('Why Berth reported the condition'),
})

const AlertMessage = z.object({
  messageId: answeredIdOf('message'),
  channelId: z.string().describe('The channel that the message is for'),
  channelName: z.string().describe('The name of the channel'),
  channelType: z.enum(channelTypes).describe('What receives the messages of the channel'),
  state: z
    .enum(states)
    .describe(
      'waiting: not delivered yet. sent: the receiver accepted it; of a mail: at least one recipient, and lastError says ' +
        'which did not. gaveUp: no receiver accepted it in 24 hours',
    ),
  about: z
    .enum(abouts)
    .describe('raised: the conditions began. repeated: they are still present. resolved: they ended'),
  severity: z.enum(severities).describe('The highest severity of its conditions'),
  title: z.string().describe('The title of the message'),
  conditions: z.array(Item).describe('The conditions of the message, at most 20'),
  more: z.number().describe('How many further conditions the message is about'),
  attempts: z.number().describe('How many attempts to deliver it have failed'),
  ...lastFault,
  createdAt: z.string().describe('When Berth made the message'),
  endedAt: z.string().nullable().describe('When the receiver accepted it, or Berth gave it up; null while it waits'),
  nextAttemptAt: z.string().nullable().describe('When Berth tries to deliver it next; null if it does not wait'),
  postponed: z
    .object({
      about: z
        .enum(abouts)
        .describe('raised: it began again or is more severe. repeated: a mute has ended. resolved: it ended'),
      until: z.string().describe('When Berth makes the message, unless the news is undone by then'),
    })
    .nullable()
    .describe(
      'Later news of the same cause that Berth holds back until 10 minutes after this message; null if there is none',
    ),
})

export const messages = query({
  name: 'alert.messages',
  summary: 'List the messages about conditions: what was sent to which channel, and what waits',
  description:
    'Messages that were sent or given up are deleted after 30 days. Messages of channel.test are not listed.',
  access: 'admin:read',
  input: z.object({
    ...page,
    channelId: Id.optional().describe('Only messages to this channel'),
    state: z
      .enum(states, `must be one of ${states.join(', ')}`)
      .optional()
      .describe('Only messages in this state'),
    order: Order,
  }),
  output: z.array(AlertMessage),
  async run({ db, now, setNextCursor }, { limit, cursor, channelId, state, order }) {
    let rows = db
      .selectFrom('delivery')
      .innerJoin('channel', 'channel.id', 'delivery.channelId')
      .selectAll('delivery')
      .select(['channel.name as channelName', 'channel.type as channelType'])
      .orderBy('delivery.id', order)
    if (cursor !== undefined) rows = rows.where('delivery.id', afterCursor[order], cursor)
    if (channelId !== undefined) rows = rows.where('delivery.channelId', '=', channelId)
    if (state !== undefined) rows = rows.where('delivery.state', '=', state)
    if (limit !== undefined) rows = rows.limit(limit + 1)
    const found = cutPage(await rows.execute(), limit, setNextCursor)
    const postponed = await postponedAt(db, found, now())
    return found.map((row) => toMessage(row, postponed))
  },
})

type Row = DeliveryTable & { channelName: string; channelType: (typeof channelTypes)[number] }

/** The news that waits because of these messages. Messages from before the last 10 minutes are not followed by any. */
async function postponedAt(db: Reader, rows: readonly Row[], at: Date): Promise<PostponedNews[]> {
  const isRecent = rows.some(({ createdAt }) => at.getTime() - Date.parse(createdAt) < minGapMs)
  return isRecent ? (await plansAt(db, at)).flatMap(({ postponed }) => postponed) : []
}

function toMessage({ id, message, fault: stored, nextAttemptAt, ...rest }: Row, postponed: readonly PostponedNews[]) {
  const { state: about, severity, title, items, more, key, at } = messageOf(id, fromJson(message), null)
  const news = postponed.find((each) => each.channelId === rest.channelId && each.key === key && each.lastSentAt === at)
  const fault = fromJson(stored)
  return {
    ...rest,
    messageId: id,
    about: about as Exclude<typeof about, 'test'>,
    severity,
    title,
    conditions: items.map(({ projectId: _, since: __, endedAt: ___, reasonCode: ____, ...item }) => item),
    more,
    lastError: fault === null ? null : faultMessage(fault),
    lastErrorCode: fault?.reason ?? null,
    nextAttemptAt: rest.state === 'waiting' ? nextAttemptAt : null,
    postponed: news === undefined ? null : { about: news.about, until: news.until },
  }
}
