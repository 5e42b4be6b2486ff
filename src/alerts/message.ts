/** A message as it is stored, and the texts of it that all channels share. Pure. */
import type { PathOf } from '../conditions/listing/paths.ts'
import { conditionMessage } from '../conditions/reason-message.ts'
import type { ConditionReason } from '../conditions/reason.ts'
import { type ConditionTable, severities, type Severity } from '../conditions/table.ts'
import { fromJson } from '../lib/json.ts'
import type { Time } from '../store/column-types.ts'

export const messageStates = ['raised', 'repeated', 'resolved', 'test'] as const
export type MessageState = (typeof messageStates)[number]

/** What a message tells about one condition. */
export interface StoredItem
  extends Pick<
    ConditionTable,
    'name' | 'severity' | 'subjectKind' | 'subjectId' | 'subjectName' | 'projectId' | 'since'
  > {
  conditionId: string
  reason: ConditionReason
  /** When the condition ended; null while it is present. Messages of earlier versions have no such field. */
  endedAt?: Time | null
  /** The path of the database (project/name) at the time of the message. Messages of earlier versions have no such field. */
  path?: string | null
}

export interface StoredMessage {
  state: MessageState
  severity: Severity
  /** The same for all messages about one cause. */
  key: string
  at: Time
  /** The worst conditions of the cause. */
  items: readonly StoredItem[]
  /** The number of conditions that `items` leaves out. */
  more: number
  /** The recipients of a mail that have accepted it, while others have not. */
  acceptedBy?: readonly string[]
}

/** A message ready for a format. The texts are not escaped. */
export interface Message extends Omit<StoredMessage, 'items' | 'acceptedBy'> {
  id: string
  title: string
  items: readonly (Omit<StoredItem, 'reason' | 'endedAt' | 'path'> & {
    path: string | null
    endedAt: Time | null
    reason: string
    reasonCode: string
  })[]
  /** The address of the console; null without a public URL. */
  link: string | null
}

/** The number of conditions that a message describes. */
const maxItems = 20
const maxNameLength = 100
const maxReasonLength = 500

const rank = (severity: Severity) => severities.indexOf(severity)

/** The highest severity. @param rows at least one */
export const worstSeverity = (rows: readonly { severity: Severity }[]): Severity =>
  rows.map(({ severity }) => severity).reduce((worst, each) => (rank(each) > rank(worst) ? each : worst), 'info')

export const isAtLeast = (severity: Severity, min: Severity): boolean => rank(severity) >= rank(min)

/**
 * @param rows the conditions of one cause
 */
export function storedMessage(
  state: MessageState,
  key: string,
  rows: readonly ConditionTable[],
  at: Time,
  pathOf: PathOf = () => null,
): StoredMessage {
  // The cause comes first: a node, then its databases.
  const order = (row: ConditionTable) => (row.subjectKind === 'node' || row.subjectKind === 'destination' ? -1 : 0)
  const sorted = rows.toSorted((a, b) => order(a) - order(b) || rank(b.severity) - rank(a.severity))
  return {
    state,
    severity: worstSeverity(rows),
    key,
    at,
    items: sorted.slice(0, maxItems).map((row) => itemOf(row, pathOf)),
    more: Math.max(0, rows.length - maxItems),
  }
}

function itemOf({ id, reason, adminOnly: _, ...row }: ConditionTable, pathOf: PathOf): StoredItem {
  return { ...row, path: pathOf(row), conditionId: id, reason: fromJson(reason) }
}

/** @param link the address of the console; null without a public URL */
export function messageOf(id: string, stored: StoredMessage, link: string | null): Message {
  const items = stored.items.map(({ reason, endedAt = null, path = null, ...item }) => ({
    ...item,
    endedAt,
    path: path === null ? null : shortened(path, maxNameLength),
    subjectName: shortened(item.subjectName, maxNameLength),
    reason: shortened(conditionMessage(reason), maxReasonLength),
    reasonCode: reason.reason,
  }))
  return { ...stored, id, items, link, title: titleOf(stored.state, stored.severity, items, stored.more) }
}

function titleOf(state: MessageState, severity: Severity, items: Message['items'], more: number): string {
  const [first] = items
  if (state === 'test' || first === undefined) return 'Berth: test message'
  const others = items.length - 1 + more
  const subject = `${first.name}: ${nameOf(first)}${others > 0 ? ` and ${others} more` : ''}`
  if (state === 'resolved') return `Resolved: ${subject}`
  return `${severity === 'info' ? 'Info' : severity === 'warning' ? 'Warning' : 'Critical'}: ${subject}${
    state === 'repeated' ? ' (still present)' : ''
  }`
}

const nameOf = ({ path, subjectName }: Message['items'][number]) => path ?? subjectName

/** The lines below the title, one for each condition. */
export function linesOf({ state, items, more }: Message): string[] {
  if (state === 'test') return ['This message tests the channel. Nothing needs attention.']
  const lines = items.map((item) => {
    const { name, severity, reason, since, endedAt } = item
    return state === 'resolved'
      ? `${name} ${nameOf(item)}: since ${since}${endedAt === null ? ', now over' : ` until ${endedAt}`}`
      : `${name} ${nameOf(item)} (${severity}, since ${since}): ${reason}`
  })
  return more === 0 ? lines : [...lines, moreLine(more)]
}

const moreLine = (count: number) => `and ${count} more`

/**
 * Joins as many whole lines as fit, so that no escaped character is cut.
 * @param max the maximum length in UTF-16 code units
 */
export function joinWithin(lines: readonly string[], max: number): string {
  const all = lines.join('\n')
  if (all.length <= max) return all
  const reserved = moreLine(lines.length).length + 1
  let count = 0
  let length = 0
  while (count < lines.length && length + lines[count]!.length + 1 + reserved <= max)
    length += lines[count++]!.length + 1
  return [...lines.slice(0, count), moreLine(lines.length - count)].join('\n')
}

/** The text on one line, without control characters and with at most this number of code units. */
export function shortened(text: string, max: number): string {
  const line = text.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
  return line.length <= max ? line : `${line.slice(0, max - 1).toWellFormed()}…`
}

/** The message of channel.test. */
export const storedTest = (at: Time): StoredMessage => ({
  state: 'test',
  severity: 'info',
  key: 'test',
  at,
  items: [],
  more: 0,
})
