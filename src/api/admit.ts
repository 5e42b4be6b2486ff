/** Checks the access to an operation, and records calls and refusals in the audit log. */
import { checkAccess, isSignIn } from './access.ts'
import { appendAudit } from './audit-log.ts'
import { type Call, entryOf, resultOf } from './audit-entry.ts'
import { type Actor, methodOf, type Operation } from './contract.ts'
import { refuse } from '../errors.ts'
import { gateMessage } from '../gate/reason-message.ts'
import type { App } from './services.ts'
import type { Writer } from '../store/schema.ts'

/** Proof that this actor may call this operation. Only `admit` creates it. */
export interface Admitted {
  operation: Operation
  actor: Actor
}

type Input = Record<string, unknown>

/**
 * Checks the access, and whether changes are held back. Refuses with UNAUTHORIZED or FORBIDDEN, see `checkAccess`, or
 * with SERVICE_UNAVAILABLE.
 */
export function admit(app: App, operation: Operation, actor: Actor): Promise<Admitted> {
  const admitted = { operation, actor }
  return recordingRefusals(app, admitted, {}, async () => {
    checkAccess(operation.access, actor)
    if (methodOf(operation) === 'POST') refuseIfClosed(app, operation)
    return admitted
  })
}

/** Repeats the access check in the transaction: since `admit`, the token may have been revoked or the role changed. */
export async function checkAdmitted(app: App, tx: Writer, operation: Operation, actor: Actor): Promise<void> {
  if (actor.accountId === '' || actor.expired) return
  const rol = await app.roleOf(tx, actor.tokenId)
  if (rol === undefined) refuse('UNAUTHORIZED', 'This token has expired or was revoked. Sign in again')
  checkAccess(operation.access, { ...actor, rol })
}

/**
 * Refuses a change while changes are held back. A transaction calls this last, so that nothing is committed after the
 * gate was closed.
 */
export function refuseIfClosed({ gate }: App, { worksWhileClosed, work }: Operation): void {
  const reason = gate.reason(work)
  if (reason === null) return
  // An upgrade may still go back to the store from before, and would lose even a sign-in.
  if (worksWhileClosed === true && reason.reason !== 'UpgradeUnconfirmed') return
  refuse('SERVICE_UNAVAILABLE', gateMessage(reason), { reason: reason.reason })
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
  if (result === null || methodOf(operation) === 'GET' || actor.expired) return
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
