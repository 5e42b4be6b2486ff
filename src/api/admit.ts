/** Checks the access to an operation, and records calls and refusals in the audit log. */
import { checkAccess, isSignIn } from './access.ts'
import { appendAudit } from './audit-log.ts'
import { type Call, entryOf, resultOf } from './audit-entry.ts'
import { type Actor, isRead, type Operation } from './contract.ts'
import { checkOperationReach } from './reach/within-reach.ts'
import { refuse } from '../errors.ts'
import type { App } from './services.ts'
import type { Reader, Writer } from '../store/schema.ts'

/** Proof that this actor may call this operation. Only `admit` creates it. */
export interface Admitted {
  operation: Operation
  actor: Actor
}

type Input = Record<string, unknown>

/** Checks the access and the reach of the operation. Refuses with UNAUTHORIZED or FORBIDDEN, see `checkAccess`. */
export function admit(app: App, operation: Operation, actor: Actor): Promise<Admitted> {
  const admitted = { operation, actor }
  return recordingRefusals(app, admitted, {}, async () => {
    checkAccess(operation.access, actor)
    checkOperationReach(operation, actor)
    return admitted
  })
}

/**
 * Repeats the access check, mostly in the transaction: since `admit`, the token may have been revoked or its rights changed.
 * Returns the actor with the present rights.
 */
export async function checkAdmitted(app: App, tx: Reader, operation: Operation, actor: Actor): Promise<Actor> {
  if (actor.accountId === '' || actor.expired) return actor
  const rights = await app.rightsOf(tx, actor.tokenId)
  if (rights === undefined) refuse('UNAUTHORIZED', 'This token has expired or was revoked. Sign in again')
  const present = { ...actor, ...rights }
  checkAccess(operation.access, present)
  checkOperationReach(operation, present)
  return present
}

export const recordCall = (app: App, tx: Writer, call: Call) => appendAudit(tx, app.vault, entryOf(call, app.now()))

/** Runs a step of a call. Records a refusal in a new transaction, because the step has been rolled back. */
export async function recordingRefusals<T>(
  app: App,
  admitted: Admitted,
  input: Input,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    await recordRefusal(app, admitted, input, error)
    throw error
  }
}

/** Records the refusal of a change in the audit log. An error thrown here replaces the refusal. */
async function recordRefusal(app: App, { operation, actor }: Admitted, input: Input, error: unknown) {
  const result = resultOf(error)
  if (result === null || isRead(operation) || actor.expired) return
  // Refusals without a limit could fill the disk. accounts/attempts.ts already limits guesses of passwords and codes.
  const isGuess = isSignIn(operation.access) && result === 'UNAUTHORIZED'
  if (!isGuess && !app.shouldRecordRefusal(actor.tokenId, performance.now())) return
  await app.transact((tx) => recordCall(app, tx, { operation, actor, input, answer: null, result }))
}

/**
 * Records in the audit log that a secret was read. Repeated reads of the same record with the same token are recorded
 * once in each period of ten minutes.
 */
export async function recordRead(
  app: App,
  { operation, actor }: Admitted,
  input: Input,
  answer: unknown,
): Promise<void> {
  const call: Call = { operation, actor, input, answer, result: 'OK' }
  const { tokenId, record } = entryOf(call, app.now())
  const key = JSON.stringify([tokenId, operation.name, record])
  if (app.recordedReads.has(key, performance.now())) return
  await app.transact((tx) => recordCall(app, tx, call))
  // The key is added only now: if the entry could not be stored, a repeated call stores it.
  app.recordedReads.add(key, performance.now())
}
