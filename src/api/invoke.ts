/**
 * Calls an operation: checks the access, validates the input, runs the handler and validates the answer. If the caller
 * sends `Prefer: wait`, also waits for the deployments. Only this file constructs the contexts of handlers. Independent
 * of HTTP.
 */
import type { z } from 'zod'
import { isSignIn } from './access.ts'
import { type Admitted, checkAdmitted, recordCall, recordingRefusals, recordRead, refuseIfClosed } from './admit.ts'
import type { Conclude, InspectContext, Operation } from './contract.ts'
import type { EngineView } from '../engine/view.ts'
import { refuse, refuseInput } from '../errors.ts'
import { inputMessage } from '../lib/text/input-message.ts'
import type { App } from './services.ts'
import { type AnswerStore, answerStore } from './idempotency.ts'
import { checkPrecondition, type Precondition, tagAfter } from './precondition.ts'
import { baseOf, readContext, runQuery } from './run-query.ts'
import type { LoopName } from '../runtime.ts'
import type { Transact } from '../store/schema.ts'

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

/** A session whose token the caller's browser keeps in a cookie. */
export interface CookieSession {
  token: string
  expiresAt: string
}

export interface Answer {
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
  body: unknown
  stream?: AsyncIterable<unknown>
  deploymentIds: string[]
  nextCursor: string | null
  entityTag: string | null
  cookieSession?: CookieSession | 'ended' | null
}

type Input = Record<string, unknown>

export async function invoke(app: App, admitted: Admitted, input: Input, options: Options): Promise<Answer> {
  const { operation } = admitted
  const ignoredFields = Object.keys(input).filter((name) => !Object.hasOwn(operation.input.shape, name))
  const parsed = operation.input.safeParse(input, { error: inputMessage })
  if (!parsed.success) refuseInput(parsed.error.issues)
  const run = async (answers: AnswerStore | null) => {
    const outcome = await recordingRefusals(app, admitted, parsed.data, () =>
      perform(app, admitted, parsed.data, answers, options),
    )
    if (operation.revealsSecret?.(admitted.actor, parsed.data))
      await recordRead(app, admitted, parsed.data, outcome.body)
    const isWaiting = options.waitSeconds > 0 && outcome.deploymentIds.length > 0
    const { body, isPending } = isWaiting
      ? await waitForOutcome(app, admitted, parsed.data, outcome, options.waitSeconds)
      : { body: outcome.body, isPending: false }
    const { stream = null, nextCursor, entityTag, cookieSession = null } = outcome
    return { body, stream, ignoredFields, nextCursor, entityTag, cookieSession, waited: isWaiting, isPending }
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
  input: unknown,
  run: (answers: AnswerStore) => Promise<T>,
) {
  const accountId = actor.accountId || actor.tokenId
  const callKey = JSON.stringify([key, accountId, operation.name])
  if (app.inFlight.has(callKey)) {
    refuse('CONFLICT', 'A call with this Idempotency-Key is still in progress. Repeat this call later')
  }
  app.inFlight.add(callKey)
  try {
    return await run(answerStore(app.vault, { key, accountId, operation: operation.name, input }, app.now()))
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
  switch (operation.type) {
    case 'query':
      return { ...(await runQuery(app, actor, operation, input, app.db)), deploymentIds: [] }
    case 'inspect':
      return runInspect(
        app,
        { ...baseOf(app, actor), db: app.db, engine: app.engineQueries.engine },
        operation,
        input,
        disconnected ?? neverAborted(),
      )
    case 'action':
      return runAction(app, admitted, operation, input, answers, options)
    case 'command':
      return runCommand(app, admitted, operation, input, answers, precondition)
  }
}

const neverAborted = () => new AbortController().signal

/** Runs an inspect operation. Each element of a stream is validated like an answer. */
async function runInspect(
  { engineQueries }: App,
  contextBase: Omit<InspectContext, 'signal' | 'setNextCursor'>,
  operation: Operation & { type: 'inspect' },
  input: Input,
  disconnected: AbortSignal,
): Promise<Outcome> {
  let nextCursor: string | null = null
  const base = {
    ...contextBase,
    setNextCursor: (cursor: string) => {
      nextCursor = cursor
    },
  }
  const { stream: streamed, output } = operation
  if (streamed?.isRequested(input) !== true) {
    const body = await engineQueries.withTimeout(disconnected, (signal) => operation.run({ ...base, signal }, input))
    return { deploymentIds: [], nextCursor, entityTag: null, body: output.parse(body) }
  }
  const elements = await engineQueries.withTimeout(engineQueries.registerStream(disconnected), (signal) =>
    streamed.open({ ...base, signal }, input),
  )
  const stream = validated(elements, (output as z.ZodArray<z.ZodType>).element)
  return { deploymentIds: [], nextCursor, entityTag: null, body: null, stream }
}

async function* validated(elements: AsyncIterable<unknown>, schema: z.ZodType) {
  for await (const element of elements) yield schema.parse(element)
}

/** Runs a command in one transaction. An answer that fails validation rolls the transaction back. */
async function runCommand(
  app: App,
  { actor }: Admitted,
  operation: Operation & { type: 'command' },
  input: Input,
  answers: AnswerStore | null,
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
    await checkAdmitted(app, tx, operation, actor)
    const stored = await answers?.find(tx)
    if (stored != null) return stored
    if (precondition !== null) await checkPrecondition(app, actor, input, precondition, tx)
    const deploymentIds: string[] = []
    const follow = (id: string) => void deploymentIds.push(id)
    const effects = { backups: app.backups, wake, follow, endCookieSession }
    const answer = await operation.run({ ...baseOf(app, actor), tx, ...effects }, input)
    const entityTag = precondition === null ? null : await tagAfter(app, actor, input, precondition, tx)
    const fresh = { body: operation.output.parse(answer), deploymentIds, entityTag }
    await answers?.save(tx, fresh)
    await recordCall(app, tx, { operation, actor, input, answer: fresh.body, result: 'OK' })
    refuseIfClosed(app, operation)
    return fresh
  })
  for (const loop of woken) app.wake(loop)
  return { ...outcome, nextCursor: null, cookieSession }
}

/** Runs an action. `conclude` also stores the audit entry. An action that does not call `conclude` gets no entry. */
async function runAction(
  app: App,
  { actor }: Admitted,
  operation: Operation & { type: 'action' },
  input: Input,
  answers: AnswerStore | null,
  { precondition, checkCookieUse }: Options,
): Promise<Outcome> {
  const { db, passwords, backups, proxy, cluster, engineQueries } = app
  const transact: Transact = (work) =>
    app.transact(async (tx) => {
      const result = await work(tx)
      refuseIfClosed(app, operation)
      return result
    })
  const stored = await answers?.find(db)
  if (stored != null) return { ...stored, nextCursor: null }
  if (precondition !== null) await checkPrecondition(app, actor, input, precondition, db)
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
      await checkAdmitted(app, tx, operation, actor)
      if (precondition !== null) await checkPrecondition(app, actor, input, precondition, tx)
      const wake = (loop: LoopName) => void woken.add(loop)
      const answer = await work(tx, wake, (id) => void deploymentIds.push(id))
      const body = operation.output.parse(answer)
      if (precondition !== null) entityTag = await tagAfter(app, actor, input, precondition, tx)
      await answers?.save(tx, { body, deploymentIds, entityTag })
      await recordCall(app, tx, { operation, actor, input, answer: body, result: 'OK' })
      hasConcluded = true
      return answer
    })
  const effects = { transact, conclude, startCookieSession, passwords, backups, proxy, cluster }
  const queryEngine = <T>(query: (engine: EngineView) => Promise<T>) =>
    engineQueries.withTimeout(neverAborted(), () => query(engineQueries.engine))
  const answer = await operation.run({ ...baseOf(app, actor), db, ...effects, queryEngine }, input)
  const body = operation.output.parse(answer)
  if (answers !== null && !hasConcluded) await transact((tx) => answers.save(tx, { body, deploymentIds, entityTag }))
  // Such a call can confirm a restored state, which opens the gate.
  if (operation.work === 'read') await app.gate.check()
  for (const loop of woken) app.wake(loop)
  return { body, deploymentIds, nextCursor: null, entityTag, cookieSession }
}

/** Waits for the deployments of a call. Returns its final answer. Refuses if one failed or was superseded. */
async function waitForOutcome(
  app: App,
  { operation, actor }: Admitted,
  input: Input,
  outcome: Outcome,
  seconds: number,
) {
  const ended = await app.waitForEnd(outcome.deploymentIds, seconds * 1000)
  if (ended?.state === 'error') {
    refuse('UNPROCESSABLE_CONTENT', ended.reason ?? 'The work failed', { reason: ended.reasonCode })
  }
  if (ended?.state === 'superseded') refuse('CONFLICT', 'Superseded by a later call; see deployment.all')
  const isPending = ended === null
  if (operation.finalAnswer === undefined) return { body: outcome.body, isPending }
  const answer = await operation.finalAnswer(readContext(app, actor), input, outcome.deploymentIds)
  return { body: operation.output.parse(answer), isPending }
}
