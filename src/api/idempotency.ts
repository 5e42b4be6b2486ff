/**
 * Stores the answers to successful calls that have an Idempotency-Key. If a call is repeated within 24 hours with the
 * same key, account, operation and input, Berth returns the stored answer, also after a restart. The answers are sealed
 * because they may contain secrets.
 */
import { refuse } from '../errors.ts'
import type { Reader, Writer } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'

/** How long an answer is stored. */
const retentionMs = 24 * 3600_000

/**
 * The call that a key belongs to. The same key from another account or for another operation is independent. The same
 * key with another input is refused.
 */
export interface KeyScope {
  /** The value of the header Idempotency-Key. */
  key: string
  /** The caller's account, or the id of a token that has no account or does not reach all that its account reaches. */
  accountId: string
  operation: string
  input: unknown
}

/** A stored answer and the deployments that its call started. */
export interface StoredAnswer {
  body: unknown
  deploymentIds: string[]
  /** The tag of the record after the call; null if the call answered no tag. */
  entityTag: string | null
}

/** Reads and stores the answer to one call. */
export interface AnswerStore {
  /**
   * Returns the stored answer. Returns null if none is stored or the stored one has expired. Refuses with
   * UNPROCESSABLE_CONTENT if the key was used with another input.
   */
  find(db: Reader): Promise<StoredAnswer | null>
  /** Stores the answer. Replaces an expired one. */
  save(tx: Writer, stored: StoredAnswer): Promise<void>
}

export function answerStore(vault: Vault, scope: KeyScope, now: Date): AnswerStore {
  const { key, accountId, operation } = scope
  const rowKey = JSON.stringify([key, accountId, operation])
  const place = { table: 'idempotency', column: 'answer', row: rowKey }
  // The hash is keyed because the input may contain a password. An unkeyed hash would let an attacker test guesses.
  const bodyHash = vault.fingerprint({ ...place, column: 'bodyHash' }, JSON.stringify(scope.input))
  return { find, save }

  async function find(db: Reader) {
    const row = await db
      .selectFrom('idempotency')
      .selectAll()
      .where('key', '=', key)
      .where('accountId', '=', accountId)
      .where('operation', '=', operation)
      .executeTakeFirst()
    if (row === undefined || isExpired(row.createdAt)) return null
    if (row.bodyHash !== bodyHash) {
      refuse('UNPROCESSABLE_CONTENT', 'This Idempotency-Key was used with another body. Use a new key for a new call')
    }
    const body = JSON.parse(vault.open(place, row.answer)) as unknown
    return { body, deploymentIds: row.deploymentIds.split(',').filter(Boolean), entityTag: row.entityTag }
  }

  async function save(tx: Writer, { body, deploymentIds, entityTag }: StoredAnswer) {
    const answer = vault.seal(place, JSON.stringify(body))
    const stored = { bodyHash, answer, deploymentIds: deploymentIds.join(), entityTag, createdAt: now.toISOString() }
    await tx
      .insertInto('idempotency')
      .values({ key, accountId, operation, ...stored })
      .onConflict((conflict) => conflict.columns(['key', 'accountId', 'operation']).doUpdateSet(stored))
      .execute()
  }

  function isExpired(createdAt: string) {
    return now.getTime() - Date.parse(createdAt) >= retentionMs
  }
}

/** Deletes the stored answers to an account's calls. Call this before the tokens of the account are deleted. */
export async function forgetAnswersTo(tx: Writer, accountId: string): Promise<void> {
  const tokens = tx.selectFrom('token').select('id').where('accountId', '=', accountId)
  await tx
    .deleteFrom('idempotency')
    .where((eb) => eb.or([eb('accountId', '=', accountId), eb('accountId', 'in', tokens)]))
    .execute()
}

/** Deletes answers older than 24 hours. */
export async function forgetOldAnswers(tx: Writer, now: Date): Promise<void> {
  await tx
    .deleteFrom('idempotency')
    .where('createdAt', '<', new Date(now.getTime() - retentionMs).toISOString())
    .execute()
}
