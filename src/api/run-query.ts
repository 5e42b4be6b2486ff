/** Runs a query operation: its handler gets the context of a read, and its answer is validated. */
import type { App } from './services.ts'
import type { Actor, Operation, QueryContext } from './contract.ts'
import { entityTagOf } from './entity-tag.ts'
import type { Reader } from '../store/schema.ts'

export type Query = Operation & { type: 'query' }

/** The part of the context that all handlers have. */
export function baseOf(app: App, actor: Actor) {
  return { actor, config: app.config, vault: app.vault, now: app.now, clock: app.clock, newId: app.newId }
}

/** The context of a read of which only the answer counts. */
export const readContext = (app: App, actor: Actor): QueryContext => ({
  ...baseOf(app, actor),
  db: app.db,
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
  const body = output.parse(await run({ ...baseOf(app, actor), db, setNextCursor, addToTag }, input))
  return { body, nextCursor, entityTag: tag === undefined ? null : entityTagOf(app.vault, name, tag, body, stored) }
}
