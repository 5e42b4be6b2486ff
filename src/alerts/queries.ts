/** The queries on channels, notifications, the queue of messages and mutes. No other file writes to these tables. */
import { readPaths } from '../conditions/listing/paths.ts'
import { toJson } from '../lib/json.ts'
import type { Reader, Time, Writer } from '../store/schema.ts'
import type { DeliveryFault } from './fault.ts'
import { storedMessage } from './message.ts'
import type { Plan, PlannedMessage } from './plan.ts'
import type { DeliveryTable, MuteTable } from './table.ts'

/** The channels that messages are made for. */
export const enabledChannels = (db: Reader) =>
  db.selectFrom('channel').selectAll().where('enabled', '=', 1).orderBy('id').execute()

/** Writes a plan: the state of each cause together with the message about it. */
export async function writePlan(tx: Writer, plan: Plan, newId: () => string, at: Time): Promise<void> {
  for (const row of plan.silent) await writeNotification(tx, row)
  for (const message of plan.messages) await writeMessage(tx, message, newId(), at)
}

async function writeMessage(tx: Writer, planned: PlannedMessage, id: string, at: Time): Promise<void> {
  const { notification, state, conditionIds } = planned
  const rows = await tx.selectFrom('condition').selectAll().where('id', 'in', conditionIds).orderBy('id').execute()
  await writeNotification(tx, notification)
  // Ended conditions are deleted after 90 days. Nobody waits for a message about such a condition.
  if (rows.length === 0) return
  const message = toJson(storedMessage(state, notification.key, rows, at, await readPaths(tx, rows)))
  const { channelId } = notification
  const times = { createdAt: at, nextAttemptAt: at, endedAt: null }
  const delivery: DeliveryTable = { id, channelId, message, state: 'waiting', attempts: 0, fault: null, ...times }
  await tx.insertInto('delivery').values(delivery).execute()
}

async function writeNotification(tx: Writer, row: PlannedMessage['notification']): Promise<void> {
  const { channelId: _, key: __, ...columns } = row
  await tx
    .insertInto('notification')
    .values(row)
    .onConflict((conflict) => conflict.columns(['channelId', 'key']).doUpdateSet(columns))
    .execute()
}

/** The messages of enabled channels that wait, oldest first. */
export const waitingDeliveries = (db: Reader) =>
  db
    .selectFrom('delivery')
    .innerJoin('channel', 'channel.id', 'delivery.channelId')
    .selectAll('delivery')
    .where('delivery.state', '=', 'waiting')
    .where('channel.enabled', '=', 1)
    .orderBy('delivery.id')
    .execute()

export async function recordSuccess(tx: Writer, { id, channelId }: DeliveryTable, at: Time): Promise<void> {
  await tx.updateTable('delivery').set({ state: 'sent', endedAt: at, fault: null }).where('id', '=', id).execute()
  await recordChannelSuccess(tx, channelId, at)
}

export async function recordChannelSuccess(tx: Writer, channelId: string, at: Time): Promise<void> {
  await tx.updateTable('channel').set({ lastSuccessAt: at }).where('id', '=', channelId).execute()
}

/** What follows a failed attempt. A message is `sent` if at least one recipient has accepted it. */
export type AfterFailure =
  | { state: 'waiting'; nextAttemptAt: Time; endedAt: null }
  | { state: 'sent' | 'gaveUp'; endedAt: Time }

/** @param row with the message as it is to be sent next */
export async function recordFailure(
  tx: Writer,
  { id, channelId, message }: DeliveryTable,
  fault: DeliveryFault,
  after: AfterFailure,
  at: Time,
): Promise<void> {
  await tx
    .updateTable('delivery')
    .set((column) => ({ ...after, message, fault: toJson(fault), attempts: column('attempts', '+', 1) }))
    .where('id', '=', id)
    .execute()
  await recordChannelError(tx, channelId, fault, at)
}

export async function recordChannelError(tx: Writer, channelId: string, fault: DeliveryFault, at: Time): Promise<void> {
  const columns = { lastErrorAt: at, lastError: toJson(fault) }
  await tx.updateTable('channel').set(columns).where('id', '=', channelId).execute()
}

/** Makes all messages of the channel due now, because the channel was corrected or tested. */
export async function retryNow(tx: Writer, channelId: string, at: Time): Promise<void> {
  await tx
    .updateTable('delivery')
    .set({ nextAttemptAt: at })
    .where('channelId', '=', channelId)
    .where('state', '=', 'waiting')
    .where('nextAttemptAt', '>', at)
    .execute()
}

/** Deletes what is over: messages and notifications of the last days are kept. */
export async function forgetOldAlerts(tx: Writer, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptMs).toISOString()
  await tx.deleteFrom('delivery').where('endedAt', '<', before).execute()
  await tx.deleteFrom('notification').where('state', '=', 'resolved').where('lastSentAt', '<', before).execute()
  await tx.deleteFrom('mute').where('until', '<', now.toISOString()).execute()
  await forgetMutesOfRemoved(tx)
}

/** Deletes the mutes of databases, backups, destinations and nodes that do not exist. Their ids are not used again. */
async function forgetMutesOfRemoved(tx: Writer): Promise<void> {
  const existing = {
    database: tx.selectFrom('database').select('id').where('goal', '!=', 'gone'),
    backup: tx.selectFrom('backup').select('id'),
    destination: tx.selectFrom('destination').select('id'),
    node: tx.selectFrom('node').select('id'),
  }
  for (const kind of ['database', 'backup', 'destination', 'node'] as const) {
    await tx.deleteFrom('mute').where('subjectKind', '=', kind).where('subjectId', 'not in', existing[kind]).execute()
  }
}

/** Deletes the mutes of this condition of the subject; null: those of all its conditions. */
export async function removeMutesOf(
  tx: Writer,
  { subjectKind, subjectId, condition }: Pick<MuteTable, 'subjectKind' | 'subjectId' | 'condition'>,
): Promise<void> {
  await tx
    .deleteFrom('mute')
    .where('subjectKind', '=', subjectKind)
    .where('subjectId', '=', subjectId)
    .where('condition', 'is', condition)
    .execute()
}

/** For how long ended deliveries and notifications are kept. */
const keptMs = 30 * 24 * 3600_000
