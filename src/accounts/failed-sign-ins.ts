/** The failed sign-ins of the last hour, by account. The counters of attempts name accounts only by hashes. */
import { attemptRetentionMs, passwordSubject, pinSubject } from './attempts.ts'
import type { AttemptTable, Reader } from '../store/schema.ts'

export interface FailedSignIns {
  /** Null if no account has the e-mail that was tried. */
  account: { id: string; email: string } | null
  passwords: number
  codes: number
}

/** Counts wrong passwords and codes. An account is counted until an hour has passed without an attempt. */
export async function failedSignIns(db: Reader, now: Date): Promise<FailedSignIns[]> {
  const since = new Date(now.getTime() - attemptRetentionMs).toISOString()
  const rows = await db
    .selectFrom('attempt')
    .selectAll()
    .where('updatedAt', '>', since)
    .where('subject', 'is not', null)
    // The common counter of all callers, whose attempts their own counters have counted.
    .whereRef('key', '!=', 'subject')
    .execute()
  if (rows.length === 0) return []
  const accounts = await db.selectFrom('account').select(['id', 'email', 'emailKey']).orderBy('id').execute()
  const counts = countsBySubject(rows)
  const known = accounts.flatMap(({ id, email, emailKey }): FailedSignIns[] => {
    const [passwords, codes] = [passwordSubject(emailKey), pinSubject(id)].map((subject) => take(counts, subject))
    return passwords! + codes! === 0 ? [] : [{ account: { id, email }, passwords: passwords!, codes: codes! }]
  })
  return [...known, ...[...counts.values()].map((passwords) => ({ account: null, passwords, codes: 0 }))]
}

function countsBySubject(rows: readonly AttemptTable[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { subject, failures } of rows) counts.set(subject!, (counts.get(subject!) ?? 0) + failures)
  return counts
}

/** Removes the count of a subject and returns it. */
function take(counts: Map<string, number>, subject: string): number {
  const count = counts.get(subject) ?? 0
  counts.delete(subject)
  return count
}
