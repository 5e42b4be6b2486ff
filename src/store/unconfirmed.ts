/**
 * Whether the state is unconfirmed: it was restored, and nobody has compared it with what runs. While it is, Berth
 * changes nothing. A restore sets this in the restored store before the store is put in place.
 */
import { deleteMeta, setMeta } from './meta.ts'
import { prepared } from './prepared.ts'
import type { Reader, Writer } from './schema.ts'

const key = 'unconfirmedSince'

const value = prepared((db) => db.selectFrom('meta').select('value').where('key', '=', key))

/** When the state was restored; null if it is confirmed. */
export async function unconfirmedSince(db: Reader): Promise<string | null> {
  return (await value(db))[0]?.value ?? null
}

export async function markUnconfirmed(tx: Writer, now: Date): Promise<void> {
  await setMeta(tx, key, now.toISOString())
  await deleteMeta(tx, codeKey)
}

export async function markConfirmed(tx: Writer): Promise<void> {
  await deleteMeta(tx, key)
  await deleteMeta(tx, codeKey)
}

/** The key of the code that confirms the state, see code.ts. */
export const codeKey = 'confirmationCode'
