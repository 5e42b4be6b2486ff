/**
 * Answers kept under an Idempotency-Key: the same key, account, operation and input within 24 hours gets the first
 * answer again, also after a restart. Knows no operation; the answer is sealed, for it may hold secrets.
 */
import { refuse } from '../errors.ts'
import type { Reader, Writer } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'

const keptMs = 24 * 3600_000

/** What a key is one of: the same text of another account or operation is another key. */
export interface KeyScope {
  key: string
  accountId: string
  operation: string
  input: unknown
}

/** The answer, and the work that it began. */
export interface Kept {
  body: unknown
  deploymentIds: string[]
}

export interface Memory {
  /** The first answer; null where there is none. Refuses a key that came with another input. */
  recall(db: Reader): Promise<Kept | null>
  keep(tx: Writer, kept: Kept): Promise<void>
}

export function memoryOf(vault: Vault, scope: KeyScope, now: Date): Memory {
  const { key, accountId, operation } = scope
  const row = JSON.stringify([key, accountId, operation])
  const place = { table: 'idempotency', column: 'answer', row }
  // An input may hold a password: a plain hash of it could be guessed at.
  const bodyHash = vault.fingerprint({ ...place, column: 'bodyHash' }, JSON.stringify(scope.input))
  return { recall, keep }

  async function recall(db: Reader) {
    const row = await db
      .selectFrom('idempotency')
      .selectAll()
      .where('key', '=', key)
      .where('accountId', '=', accountId)
      .where('operation', '=', operation)
      .executeTakeFirst()
    if (row === undefined || isOver(row.createdAt)) return null
    if (row.bodyHash !== bodyHash) {
      refuse('UNPROCESSABLE_CONTENT', 'This Idempotency-Key was used with another body. Take a new key for a new call')
    }
    const body = JSON.parse(vault.open(place, row.answer)) as unknown
    return { body, deploymentIds: row.deploymentIds.split(',').filter(Boolean) }
  }

  async function keep(tx: Writer, { body, deploymentIds }: Kept) {
    const answer = vault.seal(place, JSON.stringify(body))
    const fresh = { bodyHash, answer, deploymentIds: deploymentIds.join(), createdAt: now.toISOString() }
    await tx
      .insertInto('idempotency')
      .values({ key, accountId, operation, ...fresh })
      .onConflict((conflict) => conflict.columns(['key', 'accountId', 'operation']).doUpdateSet(fresh))
      .execute()
  }

  function isOver(createdAt: string) {
    return now.getTime() - Date.parse(createdAt) >= keptMs
  }
}

/** Forgets the answers to an account that is removed. */
export async function forgetAnswersTo(tx: Writer, accountId: string): Promise<void> {
  await tx.deleteFrom('idempotency').where('accountId', '=', accountId).execute()
}

/** Forgets answers past their 24 hours. */
export async function forgetOldAnswers(tx: Writer, now: Date): Promise<void> {
  await tx
    .deleteFrom('idempotency')
    .where('createdAt', '<', new Date(now.getTime() - keptMs).toISOString())
    .execute()
}
