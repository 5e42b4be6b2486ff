/**
 * The code that confirms a restored state. Only a command on Berth's machine prints a code, so an old account or a
 * stolen password of the restored state cannot confirm it. A code is valid once, for 15 minutes.
 */
import { hash } from 'node:crypto'
import { base32Secret } from '../../lib/crypto/base32-secret.ts'
import { deleteMeta, setMeta } from '../../store/meta.ts'
import type { Reader, Writer } from '../../store/schema.ts'
import { codeKey } from '../../store/unconfirmed.ts'

/** Groups of four characters: 60 random bits. */
const codeGroups = 3
export const codeMinutes = 15
/** After this many wrong codes the stored code is deleted. */
const maxWrongCodes = 10

interface StoredCode {
  hash: string
  expiresAt: string
  wrongCodes: number
}

const hashOf = (code: string) => hash('sha256', code.trim().toLowerCase().replaceAll('-', ''))

/** Stores a new code, which replaces an earlier one. Returns the code. */
export async function issueCode(tx: Writer, now: Date): Promise<string> {
  const code = base32Secret(codeGroups)
  const expiresAt = new Date(now.getTime() + codeMinutes * 60_000).toISOString()
  await store(tx, { hash: hashOf(code), expiresAt, wrongCodes: 0 })
  return code
}

/** Whether the code is the stored one. Counts a wrong code. Store the count even if the call is refused. */
export async function checkCode(tx: Writer, code: string, now: Date): Promise<boolean> {
  const stored = await storedCode(tx)
  if (stored === null) return false
  if (stored.hash === hashOf(code) && now.getTime() < Date.parse(stored.expiresAt)) return true
  const wrongCodes = stored.wrongCodes + 1
  if (wrongCodes < maxWrongCodes) await store(tx, { ...stored, wrongCodes })
  else await deleteMeta(tx, codeKey)
  return false
}

async function storedCode(db: Reader): Promise<StoredCode | null> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', codeKey).executeTakeFirst()
  return row === undefined ? null : (JSON.parse(row.value) as StoredCode)
}

const store = (tx: Writer, code: StoredCode) => setMeta(tx, codeKey, JSON.stringify(code))
