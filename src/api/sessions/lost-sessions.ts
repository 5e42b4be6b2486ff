/** Records the end of sessions that were open when an earlier process of Berth ended without recording it. */
import { type AuditEntry, appendAudit } from '../audit-log.ts'
import type { Runtime } from '../../runtime.ts'
import type { AuditTable } from '../../store/schema.ts'
import type { AuditDetails } from './audit-details.ts'

/** A begin of a session, with what its end has in common with it. */
type Begin = Omit<AuditEntry, 'at' | 'details'> & { sessionId: string; mode: string }

/**
 * Appends the missing ends, in one transaction. A repeated call appends nothing.
 *
 * @param lastSeq the last entry of earlier processes: sessions that began later may still be open
 */
export async function endLostSessions(
  { db, transact, vault, now, log }: Pick<Runtime, 'db' | 'transact' | 'vault' | 'now' | 'log'>,
  lastSeq: number,
): Promise<void> {
  const lost = new Map<string, Begin>()
  // Few entries have details, so the store looks for them.
  const rows = db.selectFrom('audit').selectAll().where('details', 'is not', null).orderBy('seq')
  for (const row of await rows.execute()) {
    // Other calls can have details of other events.
    const details = JSON.parse(row.details!) as AuditDetails
    if (details.event === 'begin' && row.seq <= lastSeq) lost.set(details.sessionId, beginOf(row, details))
    else if (details.event === 'end') lost.delete(details.sessionId)
  }
  if (lost.size === 0) return
  await transact(async (tx) => {
    for (const begin of lost.values()) await appendAudit(tx, vault, endOf(begin, now()))
  })
  log.info('recorded the end of sessions that a stopped process left open', { sessions: lost.size })
}

function beginOf(
  { kind, accountId, email, tokenId, address, operation, record, result }: AuditTable,
  { sessionId, mode }: AuditDetails,
): Begin {
  return { kind, accountId, email, tokenId, address, operation, record, result, sessionId, mode }
}

function endOf({ sessionId, mode, ...call }: Begin, at: Date): AuditEntry {
  const unknown = { exitCode: null, seconds: null, receivedBytes: null, sentBytes: null }
  const details: AuditDetails = { event: 'end', sessionId, mode, reason: 'BerthStopped', ...unknown }
  return { ...call, at, details: JSON.stringify(details) }
}
