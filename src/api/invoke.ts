/**
 * Calls an operation: checks the access, validates the input, runs the handler and validates the answer. If the caller
 * sends `Prefer: wait`, also waits for the deployments. Only this file constructs the contexts of handlers. Independent
 * of HTTP.
 */
import { isSignIn } from './access.ts'
import { type Confirmation, confirmationOf, withoutCode } from './confirmation/confirmation.ts'
import { type Admitted, checkAdmitted, recordCall, recordingRefusals, recordRead } from './admit.ts'
import type { Conclude, Operation } from './contract.ts'
import { refuse, refuseInput } from '../errors.ts'
import { inputMessage } from '../lib/text/input-message.ts'
import { type Reached, recheckReach, withinReach } from './reach/within-reach.ts'
import type { App } from './services.ts'
import { type AnswerStore, answerStore } from './idempotency.ts'
import { checkPrecondition, type Precondition, tagAfter } from './precondition.ts'
import { answerAfterWait } from './reach/answer-after-wait.ts'
import { baseOf, runInspect, runQuery } from './run-read.ts'
import type { LoopName } from '../runtime.ts'
import type { Writer } from '../store/schema.ts'

export interface Options {
  /** Maximum time in seconds that the caller waits for the end of long work; 0: the caller does not wait. */
  waitSeconds: number
  idempotencyKey: string | null
  /** What the record must be for the change to be made; null: anything. */
  precondition: Precondition | null
  /** Aborted when the caller disconnects; null for operations that continue without the caller. */
  disconnected: AbortSignal | null
  /** Refuses unless the caller may get a session in a cookie: it is a page of Berth. */
  checkCookieUse(): void
}

type Input = Record<string, unknown>

/** A session whose token the caller's browser keeps in a cookie. */
export interface CookieSession {
  token: string
  expiresAt: string
}

export interface Answer {
  /** What the handler got, to check the reach again while a stream is sent. */
  reached: Reached
  /** The validated input. */
  input: Input
  body: unknown
  /** The elements of a streamed answer, in place of the body; null for other answers. */
  stream: AsyncIterable<unknown> | null
  ignoredFields: string[]
  nextCursor: string | null
  /** The tag of the record; null if the answer has none. */
  entityTag: string | null
  /** The session that a cookie has to keep from now on. 'ended': the cookie of the caller's session has to go. */
  cookieSession: CookieSession | 'ended' | null
  /** Whether the call waited for its work. The work has ended, or the wait timed out. */
  waited: boolean
  /** The wait timed out: the work goes on. */
  isPending: boolean
}

/** The result of a handler, before any wait. `deploymentIds`: the deployments that the handler started. */
interface Outcome {
  reached: Reached
  body: unknown
  stream?: AsyncIterable<unknown>
  deploymentIds: string[]
  nextCursor: string | null
  entityTag: string | null
  cookieSession?: CookieSession | 'ended' | null
}

/** What a call that changes something depends on besides its input. `answers`: null without an idempotency key. */
interface Change {
  answers: AnswerStore | null
  confirmation: Confirmation
}

export async function invoke(app: App, admitted: Admitted, input: Input, options: Options): Promise<Answer> {
  const { operation } = admitted
  const ignoredFields = Object.keys(input).filter((name) => !Object.hasOwn(operation.input.shape, name))
  const parsed = operation.input.safeParse(input, { error: inputMessage })
  if (!parsed.success) refuseInput(parsed.error.issues)
  const run = async (answers: AnswerStore | null) => {
    const outcome = await recordingRefusals(app, admitted, parsed.data, () =>
      perform(app, admitted, parsed.data, answers, options),
    )
    if (operation.revealsSecret?.(outcome.reached.actor, parsed.data))
      await recordRead(app, admitted, parsed.data, outcome.body)
    const isWaiting = options.waitSeconds > 0 && outcome.deploymentIds.length > 0
    const { body, isPending } = isWaiting
      ? await answerAfterWait(app, admitted, parsed.data, outcome, options.waitSeconds)
      : { body: outcome.body, isPending: false }
    const { reached, stream = null, nextCursor, entityTag, cookieSession = null } = outcome
    return {
      reached,
      input: parsed.data,
      body,
      stream,
      ignoredFields,
      nextCursor,
      entityTag,
      cookieSession,
      waited: isWaiting,
      isPending,
    }
  }
  // Sign-ins ignore the idempotency key: a stored answer would let callers bypass the limits on guessing.
  const key = isSignIn(operation.access) ? null : options.idempotencyKey
  return key === null ? run(null) : oncePerKey(app, admitted, key, parsed.data, run)
}

/** Runs a call that has an idempotency key. Refuses it while another call with the same key is in progress. */
async function oncePerKey<T>(
  app: App,
  { operation, actor }: Admitted,
  key: string,
  input: Input,
  run: (answers: AnswerStore) => Promise<T>,
) {
  // The answers to calls of the account may be about more than a limited token reaches.
  const accountId = actor.isLimitedToken ? actor.tokenId : actor.accountId || actor.tokenId
  const callKey = JSON.stringify([key, accountId, operation.name])
  if (app.inFlight.has(callKey)) {
    refuse('CONFLICT', 'A call with this Idempotency-Key is still in progress. Repeat this call later')
  }
  app.inFlight.add(callKey)
  try {
    const scope = { key, accountId, operation: operation.name, input: withoutCode(input) }
    return await run(answerStore(app.vault, scope, app.now()))
  } finally {
    app.inFlight.delete(callKey)
  }
}

async function perform(
  app: App,
  admitted: Admitted,
  input: Input,
  answers: AnswerStore | null,
  options: Options,
): Promise<Outcome> {
  const { operation, actor } = admitted
  const { disconnected, precondition } = options
  const change = async () => ({ answers, confirmation: await confirmationOf(app, admitted, input, answers) })
  // A command limits the input in its transaction.
  if (operation.type === 'command') return runCommand(app, admitted, operation, input, await change(), precondition)
  const reached = await withinReach(app.db, operation, actor, input)
  switch (operation.type) {
    case 'query':
      return { ...(await runQuery(app, reached.actor, operation, reached.input, app.db)), reached, deploymentIds: [] }
    case 'inspect':
      return {
        ...(await runInspect(app, operation, reached, disconnected)),
        reached,
        entityTag: null,
        deploymentIds: [],
      }
    case 'action':
      return { ...(await runAction(app, operation, { reached, input }, await change(), options)), reached }
    case 'session':
      throw new Error(`${operation.name} has no answer: sessions/open-session.ts opens it`)
  }
}

type Ran = Omit<Outcome, 'reached'>

/** Runs a command in one transaction. An answer that fails validation rolls the transaction back. */
async function runCommand(
  app: App,
  { actor }: Admitted,
  operation: Operation & { type: 'command' },
  input: Input,
  { answers, confirmation }: Change,
  precondition: Precondition | null,
): Promise<Outcome> {
  // Loops are woken after the commit: before it they would read the old state.
  const woken = new Set<LoopName>()
  const wake = (loop: LoopName) => void woken.add(loop)
  let cookieSession: 'ended' | null = null
  const endCookieSession = () => {
    cookieSession = 'ended'
  }
  const outcome = await app.transact(async (tx) => {
    const present = await checkAdmitted(app, tx, operation, actor)
    const reached = await withinReach(tx, operation, present, input)
    // A stored answer may be about a record that the caller does not reach any more.
    const stored = reached.isHidden ? null : await answers?.find(tx)
    if (stored != null) return { ...stored, reached }
    if (precondition !== null) await checkPrecondition(app, reached, precondition, tx)
    await confirmation.use(tx)
    const deploymentIds: string[] = []
    const follow = (id: string) => void deploymentIds.push(id)
    const effects = { backups: app.backups, wake, follow, endCookieSession }
    const answer = await operation.run({ ...baseOf(app, reached.actor), tx, ...effects }, reached.input)
    const entityTag = precondition === null ? null : await tagAfter(app, reached, precondition, tx)
    const fresh = { body: operation.output.parse(answer), deploymentIds, entityTag }
    await answers?.save(tx, fresh)
    const details = confirmation.details()
    await recordCall(app, tx, { operation, actor, input, answer: fresh.body, result: 'OK', details })
    return { ...fresh, reached }
  })
  for (const loop of woken) app.wake(loop)
  return { ...outcome, nextCursor: null, cookieSession }
}

/**
 * Runs an action. `conclude` also stores the audit entry. An action that does not call `conclude` gets no entry.
 * @param call `input` is what the caller sent, and `reached` what the handler gets of it
 */
async function runAction(
  app: App,
  operation: Operation & { type: 'action' },
  { reached, input }: { reached: Reached; input: Input },
  { answers, confirmation }: Change,
  { precondition, checkCookieUse }: Options,
): Promise<Ran> {
  const { db, transact, passwords, backups, proxy, cluster, testReach } = app
  const { actor } = reached
  const stored = reached.isHidden ? null : await answers?.find(db)
  if (stored != null) return { ...stored, nextCursor: null }
  if (precondition !== null) await checkPrecondition(app, reached, precondition, db)
  let entityTag: string | null = null
  const woken = new Set<LoopName>()
  const deploymentIds: string[] = []
  let hasConcluded = false
  let cookieSession: CookieSession | null = null
  const keepSession = (token: string, expiresAt: string) => {
    cookieSession = { token, expiresAt }
  }
  const startCookieSession = isSignIn(operation.access) && input.cookie === true ? keepSession : null
  if (startCookieSession !== null) checkCookieUse()
  const conclude: Conclude = (work) =>
    transact(async (tx) => {
      await recheckRights(app, tx, operation, reached, input)
      if (precondition !== null) await checkPrecondition(app, reached, precondition, tx)
      await confirmation.use(tx)
      const wake = (loop: LoopName) => void woken.add(loop)
      const answer = await work(tx, wake, (id) => void deploymentIds.push(id))
      const body = operation.output.parse(answer)
      if (precondition !== null) entityTag = await tagAfter(app, reached, precondition, tx)
      await answers?.save(tx, { body, deploymentIds, entityTag })
      const details = confirmation.details()
      await recordCall(app, tx, { operation, actor, input, answer: body, result: 'OK', details })
      hasConcluded = true
      return answer
    })
  const answer = await operation.run(
    {
      ...baseOf(app, actor),
      db,
      transact,
      conclude,
      startCookieSession,
      passwords,
      backups,
      proxy,
      cluster,
      testReach,
      confirmNow: () =>
        transact((tx) => recheckRights(app, tx, operation, reached, input).then(() => confirmation.use(tx))),
    },
    reached.input,
  )
  const body = operation.output.parse(answer)
  if (answers !== null && !hasConcluded) await transact((tx) => answers.save(tx, { body, deploymentIds, entityTag }))
  for (const loop of woken) app.wake(loop)
  return { body, deploymentIds, nextCursor: null, entityTag, cookieSession }
}

/** Repeats the checks of the access and of the reach of an action. Refuses like `checkAdmitted` and `recheckReach`. */
async function recheckRights(app: App, tx: Writer, operation: Operation, reached: Reached, input: Input) {
  const present = await checkAdmitted(app, tx, operation, reached.actor)
  await recheckReach(tx, operation, reached, present, input)
}
