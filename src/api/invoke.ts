/**
 * The life of every operation, whoever asks: may they, is it well formed, do it, is the answer well formed,
 * and, where the caller waits, has the work settled. Knows nothing of HTTP; the only place where contexts are made.
 */
import type { z } from 'zod'
import { checkAccess, isWayIn } from './access.ts'
import { type Call, entryOf, resultOf } from './audit-entry.ts'
import { type Actor, type Conclude, type InspectContext, methodOf, type Operation } from './contract.ts'
import { type Issue, refuse } from '../errors.ts'
import type { App } from './services.ts'
import { appendAudit } from './audit-log.ts'
import { type Memory, memoryOf } from './idempotency.ts'
import type { Writer } from '../store/schema.ts'
import type { LoopName } from '../runtime.ts'

/** Proof that this actor may call this operation: only `admit` makes one. */
export interface Admitted {
  operation: Operation
  actor: Actor
}

export interface Options {
  /** Seconds that the caller waits for long work; 0: not at all. */
  waitSeconds: number
  idempotencyKey: string | null
  /** Aborted when the caller has left; null where nobody asks. */
  left: AbortSignal | null
}

export interface Answer {
  body: unknown
  /** In place of the body: what comes, one by one. It ends when the caller has left, at the latest. */
  stream: AsyncIterable<unknown> | null
  ignoredFields: string[]
  nextCursor: string | null
  /** The wait was kept to: the work has settled, or the time is up. */
  waited: boolean
}

/** What a run gives before anyone waits. `deploymentIds`: the work that it began. */
interface Outcome {
  body: unknown
  stream?: AsyncIterable<unknown>
  deploymentIds: string[]
  nextCursor: string | null
}

/** Refuses with FORBIDDEN, or with UNAUTHORIZED where the token is past its time. */
export function admit(app: App, operation: Operation, actor: Actor): Promise<Admitted> {
  const admitted = { operation, actor }
  return noted(app, admitted, {}, async () => {
    checkAccess(operation.access, actor)
    return admitted
  })
}

/** Once more where it is written: since it was let in, the token may have ended, or its account have another role. */
async function admitAgain(app: App, tx: Writer, operation: Operation, actor: Actor): Promise<void> {
  if (actor.accountId === '' || actor.expired) return
  const rol = await app.roleOf(tx, actor.tokenId)
  if (rol === undefined) refuse('UNAUTHORIZED', 'This token has expired or was revoked. Sign in again')
  checkAccess(operation.access, { ...actor, rol })
}

/** Notes that a change was refused to a good token; what is thrown here stands for the refusal. */
async function noteRefusal(app: App, { operation, actor }: Admitted, input: Input, error: unknown) {
  const result = resultOf(error)
  if (result === null || methodOf(operation) === 'GET' || actor.expired) return
  // Guesses have limits of their own; whoever is refused anything else could fill the disk.
  const isGuess = isWayIn(operation.access) && result === 'UNAUTHORIZED'
  if (!isGuess && !app.mayNoteRefusal(actor.tokenId, performance.now())) return
  await app.transact((tx) => note(app, tx, { operation, actor, input, answer: null, result }))
}

const note = (app: App, tx: Writer, call: Call) => appendAudit(tx, app.vault, entryOf(call, app.now()))

type Input = Record<string, unknown>

export async function invoke(app: App, admitted: Admitted, input: Input, options: Options): Promise<Answer> {
  const { operation } = admitted
  const ignoredFields = Object.keys(input).filter((name) => !Object.hasOwn(operation.input.shape, name))
  const parsed = operation.input.safeParse(input)
  if (!parsed.success) refuseInput(parsed.error.issues)
  const run = async (memory: Memory | null) => {
    const outcome = await noted(app, admitted, parsed.data, () =>
      perform(app, admitted, parsed.data, memory, options.left),
    )
    if (operation.tellsSecret?.(admitted.actor)) await noteRead(app, admitted, parsed.data, outcome.body)
    const waits = options.waitSeconds > 0 && outcome.deploymentIds.length > 0
    const body = waits ? await settle(app, admitted, parsed.data, outcome, options.waitSeconds) : outcome.body
    return { body, stream: outcome.stream ?? null, ignoredFields, nextCursor: outcome.nextCursor, waited: waits }
  }
  // An answer kept for a sign-in would be given again to whoever guesses, past the limits on guessing.
  const key = isWayIn(operation.access) ? null : options.idempotencyKey
  return key === null ? run(null) : once(app, admitted, key, parsed.data, run)
}

/**
 * Notes that a secret was read. A program that reads the same again and again leaves one entry in ten minutes, counted
 * once the entry is stored.
 */
async function noteRead(app: App, { operation, actor }: Admitted, input: Input, answer: unknown): Promise<void> {
  const call: Call = { operation, actor, input, answer, result: 'OK' }
  const { tokenId, record } = entryOf(call, app.now())
  const key = JSON.stringify([tokenId, operation.name, record])
  if (app.readsNoted.has(key, performance.now())) return
  await app.transact((tx) => note(app, tx, call))
  app.readsNoted.add(key, performance.now())
}

/** What a run was refused is noted after it, for that undid what it wrote. */
async function noted<T>(app: App, admitted: Admitted, input: Input, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    await noteRefusal(app, admitted, input, error)
    throw error
  }
}

function refuseInput(faults: readonly { path: PropertyKey[]; message: string }[]): never {
  const issues: Issue[] = faults.map(({ path, message }) => ({ path: path.join('.'), message }))
  const message = issues
    .map((issue) => (issue.path === '' ? issue.message : `${issue.path}: ${issue.message}`))
    .join('; ')
  refuse('BAD_REQUEST', message, { issues })
}

/** One call of a key at a time: a second one while the first is under way is refused. */
async function once<T>(
  app: App,
  { operation, actor }: Admitted,
  key: string,
  input: unknown,
  run: (memory: Memory) => Promise<T>,
) {
  const accountId = actor.accountId || actor.tokenId
  const flight = JSON.stringify([key, accountId, operation.name])
  if (app.inFlight.has(flight)) {
    refuse('CONFLICT', 'A call with this Idempotency-Key is under way. Ask again when it has ended')
  }
  app.inFlight.add(flight)
  try {
    return await run(memoryOf(app.vault, { key, accountId, operation: operation.name, input }, app.now()))
  } finally {
    app.inFlight.delete(flight)
  }
}

function baseOf(app: App, actor: Actor) {
  return { actor, config: app.config, vault: app.vault, now: app.now, newId: app.newId }
}

async function perform(
  app: App,
  admitted: Admitted,
  input: Input,
  memory: Memory | null,
  left: AbortSignal | null,
): Promise<Outcome> {
  const { operation, actor } = admitted
  const base = baseOf(app, actor)
  switch (operation.word) {
    case 'query': {
      let nextCursor: string | null = null
      const more = (cursor: string) => {
        nextCursor = cursor
      }
      const body = operation.output.parse(await operation.run({ ...base, db: app.db, more }, input))
      return { body, deploymentIds: [], nextCursor }
    }
    case 'look':
      return look(app, { ...base, db: app.db, engine: app.engineQueries.engine }, operation, input, left ?? neverLeft())
    case 'action':
      return action(app, admitted, operation, input, memory)
    case 'command':
      return command(app, admitted, operation, input, memory)
  }
}

const neverLeft = () => new AbortController().signal

/** Elements of a stream are checked as an answer is. */
async function look(
  { engineQueries }: App,
  given: Omit<InspectContext, 'signal' | 'more'>,
  operation: Operation & { word: 'look' },
  input: Input,
  left: AbortSignal,
): Promise<Outcome> {
  let nextCursor: string | null = null
  const base = {
    ...given,
    more: (cursor: string) => {
      nextCursor = cursor
    },
  }
  const { stream: streaming, output } = operation
  if (streaming?.isAsked(input) !== true) {
    const body = await engineQueries.inTime(left, (signal) => operation.run({ ...base, signal }, input))
    return { deploymentIds: [], nextCursor, body: output.parse(body) }
  }
  const elements = await engineQueries.inTime(engineQueries.follow(left), (signal) =>
    streaming.open({ ...base, signal }, input),
  )
  const stream = checked(elements, (output as z.ZodArray<z.ZodType>).element)
  return { deploymentIds: [], nextCursor, body: null, stream }
}

async function* checked(elements: AsyncIterable<unknown>, schema: z.ZodType) {
  for await (const it of elements) yield schema.parse(it)
}

/** The answer is checked before the commit, so that one that cannot be given undoes the deed. */
async function command(
  app: App,
  { actor }: Admitted,
  operation: Operation & { word: 'command' },
  input: Input,
  memory: Memory | null,
): Promise<Outcome> {
  // Wakes wait for the commit: work that woke earlier would read the world before the change.
  const woken = new Set<LoopName>()
  const wake = (loop: LoopName) => void woken.add(loop)
  const outcome = await app.transact(async (tx) => {
    await admitAgain(app, tx, operation, actor)
    const kept = await memory?.recall(tx)
    if (kept != null) return kept
    const deploymentIds: string[] = []
    const follow = (id: string) => void deploymentIds.push(id)
    const answer = await operation.run({ ...baseOf(app, actor), tx, wake, follow }, input)
    const fresh = { body: operation.output.parse(answer), deploymentIds }
    await memory?.keep(tx, fresh)
    await note(app, tx, { operation, actor, input, answer: fresh.body, result: 'OK' })
    return fresh
  })
  for (const loop of woken) app.wake(loop)
  return { ...outcome, nextCursor: null }
}

/** What it concludes with is noted as a command is; one that concludes nothing has changed nothing. */
async function action(
  app: App,
  { actor }: Admitted,
  operation: Operation & { word: 'action' },
  input: Input,
  memory: Memory | null,
): Promise<Outcome> {
  const { db, transact, passwords, proxy, cluster } = app
  const kept = await memory?.recall(db)
  if (kept != null) return { ...kept, nextCursor: null }
  const woken = new Set<LoopName>()
  const deploymentIds: string[] = []
  let hasConcluded = false
  const conclude: Conclude = (work) =>
    transact(async (tx) => {
      await admitAgain(app, tx, operation, actor)
      const wake = (loop: LoopName) => void woken.add(loop)
      const answer = await work(tx, wake, (id) => void deploymentIds.push(id))
      const body = operation.output.parse(answer)
      await memory?.keep(tx, { body, deploymentIds })
      await note(app, tx, { operation, actor, input, answer: body, result: 'OK' })
      hasConcluded = true
      return answer
    })
  const answer = await operation.run(
    { ...baseOf(app, actor), db, transact, conclude, passwords, proxy, cluster },
    input,
  )
  const body = operation.output.parse(answer)
  if (memory !== null && !hasConcluded) await transact((tx) => memory.keep(tx, { body, deploymentIds }))
  for (const loop of woken) app.wake(loop)
  return { body, deploymentIds, nextCursor: null }
}

/** Waits for the work, then answers the record as it is; refuses where the work ended in error or was overtaken. */
async function settle(app: App, { operation, actor }: Admitted, input: Input, outcome: Outcome, seconds: number) {
  const ended = await app.settled(outcome.deploymentIds, seconds * 1000)
  if (ended?.state === 'error') refuse('UNPROCESSABLE_CONTENT', ended.reason ?? 'The work ended in error')
  if (ended?.state === 'superseded') refuse('CONFLICT', 'Superseded by a later call; see deployment.all')
  if (operation.settled === undefined) return outcome.body
  const context = { ...baseOf(app, actor), db: app.db, more: () => undefined }
  return operation.output.parse(await operation.settled(context, input, outcome.deploymentIds))
}
