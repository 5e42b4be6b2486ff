/** Recovery codes: ten for each second factor, good once each, stored only as a hash. */
import { hash } from 'node:crypto'
import { base32Secret } from '../lib/crypto/base32-secret.ts'
import type { Writer } from '../store/schema.ts'

const codes = 10
/** 80 bits. */
const groups = 4

/** Gives new codes in place of all old ones. */
export async function issueRecoveryCodes(tx: Writer, accountId: string): Promise<string[]> {
  const fresh = Array.from({ length: codes }, () => base32Secret(groups))
  await tx.deleteFrom('recoveryCode').where('accountId', '=', accountId).execute()
  await tx
    .insertInto('recoveryCode')
    .values(fresh.map((code) => ({ accountId, hash: hashOf(code) })))
    .execute()
  return fresh
}

/** Whether it was one of the account's; it is used up then. Takes it as people type it. */
export async function useRecoveryCode(tx: Writer, accountId: string, typed: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('recoveryCode')
    .where('accountId', '=', accountId)
    .where('hash', '=', hashOf(typed))
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** SHA-256 is enough for 80 random bits. */
function hashOf(code: string) {
  const plain = code.toLowerCase().replace(/[\s-]/g, '').replace(/[il]/g, '1').replaceAll('o', '0')
  return hash('sha256', `recovery code ${plain}`)
}
