/** The entries of the audit log that the screen shows: pages, and texts. Pure but for `readPage`. */
import type { Operations } from '../../../client/client.ts'
import { api } from '../../data/api.ts'

export type Entry = Awaited<ReturnType<Operations['audit']['all']>>[number]

export interface AuditFilter {
  since: string
  operation: string
  accountId: string
  result: string
  record: string
}

export interface AuditPage {
  entries: Entry[]
  /** Reads on from the last entry; null: there are no older ones. */
  cursor: string | null
}

/** Fields of the filter that are empty are left out. */
export const inputOf = (filter: AuditFilter): Partial<AuditFilter> =>
  Object.fromEntries(
    Object.entries(filter)
      .map(([name, value]) => [name, value.trim()])
      .filter(([, value]) => value !== ''),
  )

export async function readPage(filter: AuditFilter, cursor: string | null, limit: number): Promise<AuditPage> {
  let next: string | null = null
  const entries = await api.audit.all(
    { ...inputOf(filter), order: 'desc', limit, ...(cursor === null ? {} : { cursor }) },
    {
      onHeaders: (headers) => {
        const value = headers.get('berth-next-cursor')
        next = value === null ? null : decodeURIComponent(value)
      },
    },
  )
  return { entries, cursor: next }
}
