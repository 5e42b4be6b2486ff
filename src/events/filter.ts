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

/** Administrators may read every event. Other users may also read those events for administrators that are about themselves. */
export const isReadable = (event: EventTable, { rol, accountId }: Pick<Actor, 'rol' | 'accountId'>): boolean =>
  event.adminOnly === 0 || rol === 'admin' || (event.kind === 'account' && event.recordId === accountId)
