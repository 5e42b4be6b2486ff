/**
 * Stored answers for Idempotency-Key: a call with the same key, account, operation and input within 24 hours gets the
 * first answer again, also after a restart. Answers are sealed because they may contain secrets.
 */
import { refuse } from '../errors.ts'
import type { Reader, Writer } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'

const keptMs = 24 * 3600_000

/** The scope of a key: the same text from another account or for another operation is a different key. */
export interface KeyScope {
  key: string
  accountId: string
  operation: string
  input: unknown
}

/** A stored answer and the deployments that its call started. */
export interface Kept {
  body: unknown
  deploymentIds: string[]
}

export interface Memory {
  /** Gives the first answer, or null. Refuses with UNPROCESSABLE_CONTENT if the key was used with other input. */
  recall(db: Reader): Promise<Kept | null>
  keep(tx: Writer, kept: Kept): Promise<void>
}

export function memoryOf(vault: Vault, scope: KeyScope, now: Date): Memory {
  const { key, accountId, operation } = scope
  const row = JSON.stringify([key, accountId, operation])
  const place = { table: 'idempotency', column: 'answer', row }
  // The input may contain a password, which could be guessed from an unkeyed hash.
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
    if (row === undefined || isExpired(row.createdAt)) return null
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

  function isExpired(createdAt: string) {
    return now.getTime() - Date.parse(createdAt) >= keptMs
  }
}

/** Deletes the stored answers of an account. */
export async function forgetAnswersTo(tx: Writer, accountId: string): Promise<void> {
  await tx.deleteFrom('idempotency').where('accountId', '=', accountId).execute()
}

/** Deletes answers older than 24 hours. */
export async function forgetOldAnswers(tx: Writer, now: Date): Promise<void> {
  await tx
    .deleteFrom('idempotency')
    .where('createdAt', '<', new Date(now.getTime() - keptMs).toISOString())
    .execute()
}
