/**
 * Sends the waiting messages of each channel in order. Channels do not wait for each other. A message is recorded as sent
 * after the answer, so a kill in between repeats it, with the same id.
 */
import { fromJson, toJson } from '../lib/json.ts'
import type { Runtime } from '../runtime.ts'
import { recipientsLeft } from './channels/email.ts'
import { requestOf } from './channels/request-of.ts'
import { settingsOf } from './channels/settings.ts'
import { concernsMessage, type DeliveryFault, isMailRefusal, lifetimeMs, maxWaitMs, retryWaitMs } from './fault.ts'
import { messageOf } from './message.ts'
import { type AfterFailure, recordFailure, recordSuccess } from './queries.ts'
import { type Attempt, send, timeoutsMs } from './send.ts'
import type { ChannelTable, ChannelType, DeliveryTable } from './table.ts'

export type DeliveryResult = 'sent' | 'failed' | 'gaveUp'
export type DeliveryFigures = ReadonlyMap<`${ChannelType} ${DeliveryResult}`, number>

export interface Deliveries {
  /** Starts to send to each channel that is not being sent to. @param waiting oldest first */
  start(waiting: readonly DeliveryTable[], stopping: AbortSignal): void
  /** Resolves after all attempts under way have ended. */
  ended(): Promise<void>
  figures(): DeliveryFigures
}

export function deliveriesOf(runtime: Runtime): Deliveries {
  const { db, transact, now, log, wake } = runtime
  const running = new Map<string, Promise<void>>()
  /** The attempts whose outcome the store did not take, by the message: without these, each turn would send it again. */
  const unrecorded = new Map<string, Attempt>()
  const counts = new Map<`${ChannelType} ${DeliveryResult}`, number>()
  return { start, ended: async () => void (await Promise.all(running.values())), figures: () => counts }

  function start(waiting: readonly DeliveryTable[], stopping: AbortSignal) {
    const at = now()
    for (const [channelId, rows] of Map.groupBy(waiting, (row) => row.channelId)) {
      const due = dueRows(rows, at)
      if (running.has(channelId) || due.length === 0) continue
      const work = sendAll(channelId, due, stopping)
        .catch((error: unknown) => log.error('the delivery of alerts failed', error, { channelId }))
        .finally(() => running.delete(channelId))
      running.set(channelId, work)
    }
  }

  async function sendAll(channelId: string, rows: readonly DeliveryTable[], stopping: AbortSignal) {
    for (const row of rows) {
      // The channel may have been changed or removed meanwhile.
      const channel = await db.selectFrom('channel').selectAll().where('id', '=', channelId).executeTakeFirst()
      if (channel === undefined || channel.enabled === 0 || stopping.aborted) return
      const attempt = unrecorded.get(row.id) ?? (await sendOne(runtime, channel, row, stopping))
      if (stopping.aborted && attempt.fault !== null && attempt.acceptedBy.length === 0) return
      const tried = withAccepted(row, attempt)
      unrecorded.set(row.id, attempt)
      await record(channel, tried, attempt)
      unrecorded.delete(row.id)
      if (attempt.fault !== null && isWaitedFor(tried, attempt.fault)) return
    }
    // Messages may have been added meanwhile.
    setImmediate(() => wake('alerts'))
  }

  async function record({ type }: ChannelTable, row: DeliveryTable, { fault, retryAfterMs }: Attempt) {
    const at = now()
    if (fault === null) {
      await transact((tx) => recordSuccess(tx, row, at.toISOString()))
      return count(type, 'sent')
    }
    const waitMs = retryWaitMs(fault, row.attempts + 1, retryAfterMs)
    const after = afterFailure(row, fault, waitMs, at)
    await transact((tx) => recordFailure(tx, row, fault, after, at.toISOString()))
    count(type, after.state === 'waiting' ? 'failed' : after.state)
    const { channelId, id: messageId } = row
    log.warn('a message was not delivered', { channelId, messageId, reason: fault.reason })
    wake('alerts', after.state === 'waiting' ? waitMs : 0)
  }

  function count(type: ChannelType, result: DeliveryResult) {
    counts.set(`${type} ${result}`, (counts.get(`${type} ${result}`) ?? 0) + 1)
  }
}

async function sendOne(
  { vault, config, now }: Runtime,
  channel: ChannelTable,
  row: DeliveryTable,
  stopping: AbortSignal,
): Promise<Attempt> {
  const settings = settingsOf(vault, channel)
  const recipients = recipientsLeft(settings.recipients, acceptedBy(row))
  // The channel was changed, and has only recipients that accepted the message.
  if (channel.type === 'email' && recipients.length === 0) {
    return { fault: null, retryAfterMs: null, answer: '', acceptedBy: [] }
  }
  const rendered = messageOf(row.id, fromJson(row.message), config.publicUrl?.origin ?? null)
  const request = requestOf(channel.type, { ...settings, recipients }, rendered, now())
  return send(request, config.egress, timeoutsMs[request.type], stopping)
}

/** Returns the row with the recipients that have accepted its message in an attempt. */
function withAccepted(row: DeliveryTable, attempt: Attempt): DeliveryTable {
  if (attempt.acceptedBy.length === 0) return row
  const message = fromJson(row.message)
  return { ...row, message: toJson({ ...message, acceptedBy: [...acceptedBy(row), ...attempt.acceptedBy] }) }
}

const acceptedBy = ({ message }: DeliveryTable): readonly string[] => fromJson(message).acceptedBy ?? []

/** A message ends after 24 hours, or when the mail server refuses the rest of its recipients for good. */
function afterFailure(row: DeliveryTable, fault: DeliveryFault, waitMs: number, now: Date): AfterFailure {
  const nextAt = new Date(now.getTime() + waitMs)
  const isLate = nextAt.getTime() > Date.parse(row.createdAt) + lifetimeMs
  const isAccepted = acceptedBy(row).length > 0
  return isLate || (isAccepted && isMailRefusal(fault))
    ? { state: isAccepted ? 'sent' : 'gaveUp', endedAt: now.toISOString() }
    : { state: 'waiting', nextAttemptAt: nextAt.toISOString(), endedAt: null }
}

/** Whether later messages wait for one with this fault. They do not wait for some of several recipients. */
const isWaitedFor = (row: DeliveryTable, fault: DeliveryFault) =>
  !concernsMessage(fault) && acceptedBy(row).length === 0

/**
 * The messages of a channel that can be sent now. Later messages wait for an earlier one, unless the receiver refused its
 * content or some of its recipients.
 */
export function dueRows(rows: readonly DeliveryTable[], now: Date): DeliveryTable[] {
  // A later time was stored before the clock was set back.
  const maxAt = new Date(now.getTime() + maxWaitMs).toISOString()
  const at = now.toISOString()
  const due: DeliveryTable[] = []
  for (const row of rows) {
    const fault = fromJson(row.fault)
    if (fault === null || row.nextAttemptAt <= at || row.nextAttemptAt > maxAt) due.push(row)
    else if (isWaitedFor(row, fault)) break
  }
  return due
}
