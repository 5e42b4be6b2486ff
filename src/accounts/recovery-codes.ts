/** Recovery codes of the second factor. An account gets ten. Each is valid once and stored only as a hash. */
import { hash } from 'node:crypto'
import { base32Secret } from '../lib/crypto/base32-secret.ts'
import type { Reader, Writer } from '../store/schema.ts'

const codesPerAccount = 10
/** Number of groups of four characters in a code. A code has 80 random bits. */
const groupsPerCode = 4

/** Replaces the recovery codes of an account. Returns the new codes. */
export async function issueRecoveryCodes(tx: Writer, accountId: string): Promise<string[]> {
  const fresh = Array.from({ length: codesPerAccount }, () => base32Secret(groupsPerCode))
  await tx.deleteFrom('recoveryCode').where('accountId', '=', accountId).execute()
  await tx
    .insertInto('recoveryCode')
    .values(fresh.map((code) => ({ accountId, hash: hashOf(code) })))
    .execute()
  return fresh
}

/** Whether the account has this recovery code. */
export async function hasRecoveryCode(db: Reader, accountId: string, typed: string): Promise<boolean> {
  const row = await db
    .selectFrom('recoveryCode')
    .select('hash')
    .where('accountId', '=', accountId)
    .where('hash', '=', hashOf(typed))
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a recovery code of the account. Returns whether the account had this code. */
export async function useRecoveryCode(tx: Writer, accountId: string, typed: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('recoveryCode')
    .where('accountId', '=', accountId)
    .where('hash', '=', hashOf(typed))
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Ignores case, spaces and hyphens; i and l count as 1, and o as 0. SHA-256 is sufficient for 80 random bits. */
function hashOf(code: string) {
  const plain = code.toLowerCase().replace(/[\s-]/g, '').replace(/[il]/g, '1').replaceAll('o', '0')
  return hash('sha256', `recovery code ${plain}`)
}
