/** The tables of alerts: channels, what each channel was notified of, the queue of messages, and mutes. */
import type { Severity, SubjectKind } from '../conditions/table.ts'
import type { ConditionName } from '../conditions/table.ts'
import type { Json } from '../lib/json.ts'
import type { Flag, Sealed, Time } from '../store/column-types.ts'
import type { DeliveryFault } from './fault.ts'
import type { StoredMessage } from './message.ts'

export const channelTypes = ['webhook', 'slack', 'discord', 'telegram', 'ntfy', 'email'] as const
export type ChannelType = (typeof channelTypes)[number]

/** Where messages go, and which. */
export interface ChannelTable {
  id: string
  name: string
  type: ChannelType
  /** JSON of `ChannelSettings`, with the URL and its secrets. */
  settings: Sealed
  minSeverity: Severity
  /** Null: all projects, and what belongs to none. */
  projectIds: Json<readonly string[]> | null
  /** Null: all conditions. */
  conditions: Json<readonly ConditionName[]> | null
  /** The hours after which a message about a condition that is still present is repeated. Null: never. */
  repeatHours: number | null
  enabled: Flag
  lastSuccessAt: Time | null
  lastErrorAt: Time | null
  lastError: Json<DeliveryFault> | null
  createdAt: Time
}

/** The last message to a channel about one cause. */
export interface NotificationTable {
  channelId: string
  /** The cause, see group-key.ts. */
  key: string
  /**
   * fell: raised, and its severity has been lower for less than 10 minutes. muted: raised, and then all present
   * conditions were muted; a message follows when one of them is no longer muted.
   */
  state: 'raised' | 'fell' | 'muted' | 'resolved'
  /** A higher one causes a message. */
  severity: Severity
  /** The conditions of the cause that the channel knows of, with those that joined without a message. */
  conditionIds: Json<readonly string[]>
  firstRaisedAt: Time
  lastSentAt: Time
  /** In state `fell`: when the lower severity becomes `severity`. Else 10 minutes after the last message. */
  nextChangeAt: Time
}

/** A message to a channel. The id is the id of the message, also in its repeats. */
export interface DeliveryTable {
  id: string
  channelId: string
  message: Json<StoredMessage>
  state: 'waiting' | 'sent' | 'gaveUp'
  createdAt: Time
  nextAttemptAt: Time
  attempts: number
  /** Why the last attempt failed. */
  fault: Json<DeliveryFault> | null
  endedAt: Time | null
}

/** Conditions that raise no message until a time. */
export interface MuteTable {
  id: string
  subjectKind: SubjectKind
  subjectId: string
  /** Null: all conditions of the subject. */
  condition: ConditionName | null
  until: Time
  createdAt: Time
}
