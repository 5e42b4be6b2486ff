/** Reads what plan.ts decides from: which messages each enabled channel gets now. */
import { activeMutes } from '../conditions/listing/mutes.ts'
import { presentConditions } from '../conditions/queries.ts'
import type { Reader } from '../store/schema.ts'
import { groupKey } from './group-key.ts'
import { type Plan, planFor } from './plan.ts'
import { enabledChannels } from './queries.ts'

/** Returns a plan for each enabled channel. */
export async function plansAt(db: Reader, now: Date): Promise<Plan[]> {
  const channels = await enabledChannels(db)
  if (channels.length === 0) return []
  const conditions = await presentConditions(db)
  const nodes = await db.selectFrom('node').select(['id', 'hostname']).execute()
  const backups = await db.selectFrom('backup').select(['id', 'destinationId']).execute()
  const nodeIds = new Map(nodes.map(({ id, hostname }) => [hostname, id]))
  const destinations = new Map(backups.map(({ id, destinationId }) => [id, destinationId]))
  const present = conditions.map((condition) => ({ condition, key: groupKey(condition, nodeIds, destinations) }))
  const mutes = await activeMutes(db, now.toISOString())
  const notifications = Map.groupBy(
    await db.selectFrom('notification').selectAll().execute(),
    ({ channelId }) => channelId,
  )
  return channels.map((channel) => planFor(channel, present, mutes, notifications.get(channel.id) ?? [], now))
}
