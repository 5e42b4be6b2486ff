/**
 * Decides which messages a channel gets: compares the present conditions with what the channel was last notified of.
 * Pure. docs/decisions/0063-alerts.md has the rules.
 */
import { mutedUntil } from '../conditions/listing/mutes.ts'
import type { ConditionTable, Severity } from '../conditions/table.ts'
import { fromJson, toJson } from '../lib/json.ts'
import type { Time } from '../store/column-types.ts'
import { isAtLeast, type MessageState, worstSeverity } from './message.ts'
import type { ChannelTable, MuteTable, NotificationTable } from './table.ts'

/** After a message about a cause, further messages about it wait for this time. */
export const minGapMs = 10 * 60_000

export interface PlannedMessage {
  state: Exclude<MessageState, 'test'>
  notification: NotificationTable
  /** The conditions of the message. */
  conditionIds: readonly string[]
}

export interface Plan {
  messages: PlannedMessage[]
  /** Notifications that change without a message. */
  silent: NotificationTable[]
  /** What would be a message now if the last one about its cause were older. */
  postponed: PostponedNews[]
}

/** News of a cause that waits because of the last message about it. It is dropped if it is undone by then. */
export interface PostponedNews extends Pick<NotificationTable, 'channelId' | 'key' | 'lastSentAt'> {
  about: PlannedMessage['state']
  until: Time
}

export interface Present {
  condition: ConditionTable
  key: string
}

type Rules = Pick<ChannelTable, 'id' | 'minSeverity' | 'projectIds' | 'conditions' | 'repeatHours'>

/**
 * @param present all present conditions
 * @param mutes the mutes that have not ended
 * @param notifications those of this channel
 */
export function planFor(
  channel: Rules,
  present: readonly Present[],
  mutes: readonly MuteTable[],
  notifications: readonly NotificationTable[],
  now: Date,
): Plan {
  const presentById = new Map(present.map(({ condition }) => [condition.id, condition]))
  const open = notifications.filter(({ state }) => state !== 'resolved')
  // A condition whose cause becomes known later stays in the message that reported it.
  const keyOfId = new Map(open.flatMap(({ key, conditionIds }) => fromJson(conditionIds).map((id) => [id, key])))
  const matching = present.filter(({ condition }) => matches(channel, condition))
  const { wanted = [], muted = [] } = Object.groupBy(matching, ({ condition }) =>
    mutedUntil(mutes, condition) !== null ? 'muted' : 'wanted',
  )
  const mutedIds = new Set(muted.map(({ condition }) => condition.id))
  const groups = Map.groupBy(wanted, ({ condition, key }) => keyOfId.get(condition.id) ?? key)
  const rowOf = new Map(notifications.map((row) => [row.key, row]))
  const decisions = [
    ...[...groups].map(([key, members]) =>
      decideGroup(
        channel,
        key,
        members.map(({ condition }) => condition),
        rowOf.get(key),
        presentById,
        now,
      ),
    ),
    ...open.filter(({ key }) => !groups.has(key)).map((row) => decideEmpty(row, presentById, mutedIds, now)),
  ]
  return {
    messages: decisions.flatMap(({ message = [] }) => message),
    silent: decisions.flatMap(({ silent = [] }) => silent),
    postponed: decisions.flatMap(({ postponed = [] }) => postponed),
  }
}

interface Decision {
  message?: PlannedMessage
  silent?: NotificationTable
  postponed?: PostponedNews
}

/** @param conditions the present conditions of one cause, at least one */
function decideGroup(
  { id: channelId, repeatHours }: Rules,
  key: string,
  conditions: readonly ConditionTable[],
  row: NotificationTable | undefined,
  presentById: ReadonlyMap<string, ConditionTable>,
  now: Date,
): Decision {
  const at = now.toISOString()
  const isOpen = row !== undefined && row.state !== 'resolved'
  const known = isOpen ? fromJson(row.conditionIds).filter((id) => presentById.has(id)) : []
  const ids = [...new Set([...known, ...conditions.map(({ id }) => id)])]
  const severity = worstSeverity(conditions)
  const after = { channelId, key, state: 'raised', severity, conditionIds: toJson<readonly string[]>(ids) } as const
  const message = (state: 'raised' | 'repeated', firstRaisedAt: string): Decision => ({
    message: {
      state,
      notification: { ...after, firstRaisedAt, lastSentAt: at, nextChangeAt: later(now, minGapMs) },
      conditionIds: conditions.map(({ id }) => id),
    },
  })
  const isHeld = row !== undefined && isInGap(row, now)
  if (!isOpen) return isHeld ? { postponed: postponedNews('raised', row) } : message('raised', at)
  const isKnown = () => conditions.some(({ id }) => known.includes(id))
  const afterMute = row.state === 'muted' ? (isKnown() ? 'repeated' : 'raised') : null
  const about = isHigher(severity, row.severity) ? 'raised' : afterMute
  if (about !== null && !isHeld) return message(about, row.firstRaisedAt)
  if (repeatHours !== null && msSinceMessage(row, now) >= repeatHours * 3600_000)
    return message('repeated', row.firstRaisedAt)
  return {
    ...silentChange(row, { ...withSeverity(row, severity, now), conditionIds: after.conditionIds }),
    ...(about !== null && { postponed: postponedNews(about, row) }),
  }
}

const postponedNews = (
  about: PostponedNews['about'],
  { channelId, key, lastSentAt }: NotificationTable,
): PostponedNews => ({ channelId, key, lastSentAt, about, until: later(new Date(lastSentAt), minGapMs) })

/** A cause that was reported and has no condition that the channel wants: it ended, is muted or is less severe. */
function decideEmpty(
  row: NotificationTable,
  presentById: ReadonlyMap<string, ConditionTable>,
  mutedIds: ReadonlySet<string>,
  now: Date,
): Decision {
  const at = now.toISOString()
  const conditionIds = fromJson(row.conditionIds)
  if (conditionIds.some((id) => mutedIds.has(id))) return silentChange(row, { ...row, state: 'muted' })
  const left = conditionIds.flatMap((id) => presentById.get(id) ?? [])
  if (left.length > 0) return silentChange(row, withSeverity(row, worstSeverity(left), now))
  if (isInGap(row, now)) return { postponed: postponedNews('resolved', row) }
  const notification = { ...row, state: 'resolved', lastSentAt: at, nextChangeAt: later(now, minGapMs) } as const
  return { message: { state: 'resolved', notification, conditionIds } }
}

/**
 * The row with the present severity. A rise is compared with the severity of the last message, or with a lower one that
 * has lasted for 10 minutes. So a severity that falls and rises again and again causes no messages.
 */
function withSeverity(row: NotificationTable, severity: Severity, now: Date): NotificationTable {
  // A message after the mute has the severity.
  if (row.state === 'muted') return row
  if (!isHigher(row.severity, severity)) return { ...row, state: 'raised' }
  if (row.state === 'raised') return { ...row, state: 'fell', nextChangeAt: later(now, minGapMs) }
  const isWaiting = row.nextChangeAt > now.toISOString() && row.nextChangeAt <= later(now, minGapMs)
  return isWaiting ? row : { ...row, state: 'raised', severity }
}

const isHigher = (severity: Severity, other: Severity) => severity !== other && isAtLeast(severity, other)

function silentChange(row: NotificationTable, after: NotificationTable): Decision {
  const { state, severity, conditionIds } = after
  const isSame = state === row.state && severity === row.severity && conditionIds === row.conditionIds
  return isSame ? {} : { silent: after }
}

/** Whether the last message about the cause is so recent that the next one waits. */
const isInGap = (row: NotificationTable, now: Date) => msSinceMessage(row, now) < minGapMs

/** Infinity if the last message is from before the clock was set back by more than 10 minutes. */
function msSinceMessage({ lastSentAt }: NotificationTable, now: Date): number {
  const ms = now.getTime() - Date.parse(lastSentAt)
  return ms < -minGapMs ? Infinity : ms
}

const later = (time: Date, ms: number) => new Date(time.getTime() + ms).toISOString()

function matches({ minSeverity, projectIds, conditions }: Rules, row: ConditionTable): boolean {
  const projects = fromJson(projectIds)
  const names = fromJson(conditions)
  return (
    isAtLeast(row.severity, minSeverity) &&
    (projects === null || (row.projectId !== null && projects.includes(row.projectId))) &&
    (names === null || names.includes(row.name))
  )
}
