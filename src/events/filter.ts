/** Which events a client gets: those that it asked for and may read. Pure. */
import type { Actor } from '../api/contract.ts'
import type { EventKind, EventTable } from './table.ts'

/** What a client asks for. Null: everything. */
export interface EventFilter {
  kinds: readonly EventKind[] | null
  projectId: string | null
  recordId: string | null
}

export const isWanted = (event: EventTable, { kinds, projectId, recordId }: EventFilter): boolean =>
  (kinds === null || kinds.includes(event.kind)) &&
  (projectId === null || event.projectId === projectId) &&
  (recordId === null || event.recordId === recordId)

type Reading = Pick<Actor, 'rol' | 'accountId' | 'reach'>

/**
 * Administrators may read every event. Other users may also read those events for administrators that are about
 * themselves. Without the reach of all projects, they may read the events of the projects in reach, and of destinations,
 * which everyone may name for a backup.
 */
export const isReadable = (event: EventTable, { rol, accountId, reach }: Reading): boolean => {
  if (event.kind === 'account' && event.recordId === accountId) return true
  if (event.adminOnly === 1 && rol !== 'admin') return false
  if (reach === 'all' || event.kind === 'destination') return true
  return event.projectId !== null && reach.has(event.projectId)
}

/**
 * Whether the event may be about a change of the rights of the reader. The reader then has records that it does not reach
 * any more, or has not got those that it reaches now. A new role of an account ends its sessions.
 */
export function changesRights({ kind, recordId }: EventTable, { rol, accountId, reach }: Reading): boolean {
  if (recordId !== accountId) return false
  return kind === 'member' ? reach !== 'all' : kind === 'account' && rol !== 'admin'
}

/**
 * The events of those that the reader may read. A record that has left the projects in reach is removed for the reader:
 * the fields of the record would tell about the other project.
 */
export const readableEvents = (events: readonly EventTable[], reading: Reading): EventTable[] =>
  events
    .filter((event) => isReadable(event, reading))
    .map((event) => (hasLeft(event, reading) ? { ...event, change: 'removed', data: '{}' } : event))

/** The kinds of records that can move to another project. Their events have it; older events of conditions do not. */
const movingKinds: readonly EventKind[] = ['database', 'condition']

/** Whether the record is in a project out of reach since the change, which is an event of its former project too. */
function hasLeft({ kind, data }: EventTable, { reach }: Reading): boolean {
  if (reach === 'all' || !movingKinds.includes(kind)) return false
  const { projectId } = JSON.parse(data) as { projectId?: string | null }
  return projectId != null && !reach.has(projectId)
}
