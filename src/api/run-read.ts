/** Runs the operations that read: their handlers get the context of a read, and their answers are validated. */
import type { z } from 'zod'
import type { App } from './services.ts'
import type { Actor, Operation, QueryContext } from './contract.ts'
import { entityTagOf } from './entity-tag.ts'
import type { Reader } from '../store/schema.ts'

export type Query = Operation & { type: 'query' }

/** The part of the context that all handlers have. */
export function baseOf(app: App, actor: Actor) {
  return { actor, config: app.config, vault: app.vault, now: app.now, newId: app.newId }
}

/** The context of a read of which only the answer counts. */
export const readContext = (app: App, actor: Actor): QueryContext => ({
  ...baseOf(app, actor),
  db: app.db,
  history: app.history,
  setNextCursor: () => undefined,
  addToTag: () => undefined,
})

interface QueryOutcome {
  body: unknown
  nextCursor: string | null
  /** The tag of the record; null if the query does not answer a record with a tag. */
  entityTag: string | null
}

/** @param db the store, or the transaction of a change */
export async function runQuery(
  app: App,
  actor: Actor,
  { name, run, output, tag }: Query,
  input: Record<string, unknown>,
  db: Reader,
): Promise<QueryOutcome> {
  let nextCursor: string | null = null
  const stored: unknown[] = []
  const setNextCursor = (cursor: string) => {
    nextCursor = cursor
  }
  const addToTag = (value: unknown) => void stored.push(value)
  const body = output.parse(
    await run({ ...baseOf(app, actor), db, history: app.history, setNextCursor, addToTag }, input),
  )
  return { body, nextCursor, entityTag: tag === undefined ? null : entityTagOf(app.vault, name, tag, body, stored) }
}

interface InspectOutcome {
  /** Null if the answer is streamed. */
  body: unknown
  stream?: AsyncIterable<unknown>
  nextCursor: string | null
}

/**
 * Runs an inspect operation. Each element of a stream is validated like an answer.
 * @param disconnected aborted when the caller disconnects; null: the operation continues without the caller
 */
export async function runInspect(
  app: App,
  operation: Operation & { type: 'inspect' },
  { actor, input }: { actor: Actor; input: Record<string, unknown> },
  disconnected: AbortSignal | null,
): Promise<InspectOutcome> {
  const { db, engineQueries } = app
  let nextCursor: string | null = null
  const setNextCursor = (cursor: string) => {
    nextCursor = cursor
  }
  const base = { ...baseOf(app, actor), db, engine: engineQueries.engine, setNextCursor }
  const { stream: streamed, output } = operation
  if (streamed?.isRequested(input) !== true) {
    const body = await engineQueries.withTimeout(disconnected ?? neverAborted(), (signal) =>
      operation.run({ ...base, signal }, input),
    )
    return { body: output.parse(body), nextCursor }
  }
  const elements = await engineQueries.withTimeout(
    engineQueries.registerStream(disconnected ?? neverAborted()),
    (signal) => streamed.open({ ...base, signal }, input),
  )
  return { body: null, stream: validated(elements, (output as z.ZodArray<z.ZodType>).element), nextCursor }
}

const neverAborted = () => new AbortController().signal

async function* validated(elements: AsyncIterable<unknown>, schema: z.ZodType) {
  for await (const element of elements) yield schema.parse(element)
}
