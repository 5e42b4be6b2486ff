/**
 * The audit log: what was done and what was refused, each entry bound to the one before by a keyed hash, so that none
 * can be changed, put in or taken out of the middle by whoever has the file and not the master key. Old entries are
 * deleted from the beginning; the chain then begins at the first that is left. Knows no operation and no secret.
 */
import { sql } from 'kysely'
import { prepared, preparedInsert } from '../store/prepared.ts'
import type { AuditTable, Reader, Writer } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'

/** What an entry says. */
export type AuditEntry = Omit<AuditTable, 'seq' | 'at' | 'previousHash' | 'hash'> & { at: Date }

const keptMs = 400 * 24 * 3600_000
/** Read at once while the chain is checked; others have their turn in between. */
const pageLength = 500

/** The limit stands in the text: with one that is a parameter SQLite plans the statement anew each time it is run. */
const lastEntry = prepared((db) =>
  db.selectFrom('audit').select(['seq', 'hash']).orderBy('seq', 'desc').limit(sql.lit(1)),
)

const insertEntry = preparedInsert('audit')

/** In the transaction of what it tells of. */
export async function appendAudit(tx: Writer, vault: Vault, { at, ...entry }: AuditEntry): Promise<void> {
  const [last] = await lastEntry(tx)
  const row = { seq: (last?.seq ?? 0) + 1, at: at.toISOString(), ...entry, previousHash: last?.hash ?? '' }
  await insertEntry(tx, { ...row, hash: hashOf(vault, row) })
}

/** Of a command on the machine itself, where nobody signs in. */
export function appendMachineEntry(
  tx: Writer,
  vault: Vault,
  operation: string,
  record: string | null,
  at: Date,
): Promise<void> {
  const nobody = { accountId: null, email: null, tokenId: null, address: '' }
  return appendAudit(tx, vault, { at, kind: 'machine', ...nobody, operation, record, result: 'OK' })
}

export interface ChainCheck {
  entries: number
  /** The first entry whose content, place or predecessor is not what it was; null where all are. */
  brokenAt: number | null
  /** Of the last entry that is good: who notes it down can tell later that none was cut off the end. */
  head: { seq: number; hash: string } | null
}

/** Reads the whole log. */
export async function checkChain(db: Reader, vault: Vault): Promise<ChainCheck> {
  let entries = 0
  let head: ChainCheck['head'] = null
  for (;;) {
    const rows: AuditTable[] = await db
      .selectFrom('audit')
      .selectAll()
      .where('seq', '>', head?.seq ?? 0)
      .orderBy('seq')
      .limit(pageLength)
      .execute()
    for (const { hash, ...row } of rows) {
      entries++
      const follows = head === null || (row.seq === head.seq + 1 && row.previousHash === head.hash)
      if (!follows || hash !== hashOf(vault, row)) return { entries, brokenAt: row.seq, head }
      head = { seq: row.seq, hash }
    }
    if (rows.length < pageLength) return { entries, brokenAt: null, head }
    await new Promise(setImmediate)
  }
}

function hashOf(vault: Vault, row: Omit<AuditTable, 'hash'>) {
  const { seq, at, kind, accountId, email, tokenId, address, operation, record, result, previousHash } = row
  const text = JSON.stringify([
    seq,
    at,
    kind,
    accountId,
    email,
    tokenId,
    address,
    operation,
    record,
    result,
    previousHash,
  ])
  return vault.fingerprint({ table: 'audit', column: 'hash', row: String(seq) }, text)
}

/**
 * Deletes entries past their 400 days, but never the last; and from the beginning alone: one that a wrong clock made
 * old goes when those before it do.
 */
export async function forgetOldEntries(tx: Writer, now: Date): Promise<void> {
  const cutoff = new Date(now.getTime() - keptMs).toISOString()
  const [first] = await tx.selectFrom('audit').select('seq').where('at', '>=', cutoff).orderBy('seq').limit(1).execute()
  const [last] = await lastEntry(tx)
  const end = first?.seq ?? last?.seq
  if (end !== undefined) await tx.deleteFrom('audit').where('seq', '<', end).execute()
}
