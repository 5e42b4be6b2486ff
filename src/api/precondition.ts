/**
 * Preconditions of changes: a call with If-Match changes a record only if the record still has a tag that the caller
 * knows. So of two people who edit the same record, the second one overwrites nothing. Source: RFC 9110, section 13.1.1.
 */
import { isSignIn } from './access.ts'
import { type Actor, methodOf, type Operation } from './contract.ts'
import { Refusal, refuse } from '../errors.ts'
import type { Reached } from './reach/within-reach.ts'
import { type Query, runQuery } from './run-read.ts'
import type { App } from './services.ts'
import type { Reader } from '../store/schema.ts'

type Input = Record<string, unknown>

/** How to read the record that an operation changes. */
export interface RecordRead {
  query: Query
  /** The input of the query, from the input of the change. */
  inputOf(actor: Actor, input: Input): Input
}

export interface Precondition {
  read: RecordRead
  /** The tags of which the record must have one. '*': the record must exist. */
  tags: readonly string[] | '*'
}

/**
 * The operations that accept a precondition, by name: changes of a record that `<group>.one` reads with a tag. Either the
 * change requires all fields that identify the record to `<group>.one`, or it declares `recordOf`.
 */
export function recordReads(operations: readonly Operation[]): ReadonlyMap<string, RecordRead> {
  const queries = new Map(operations.filter(isTagged).map((query) => [groupOf(query), query]))
  const reads = new Map<string, RecordRead>()
  for (const operation of operations) {
    const query = queries.get(groupOf(operation))
    if (query === undefined || methodOf(operation) === 'GET') continue
    const { recordOf } = operation
    const names = Object.keys(query.input.shape).filter((name) => requires(query, name))
    if (typeof recordOf === 'function') reads.set(operation.name, { query, inputOf: recordOf })
    else if (recordOf !== null && !isSignIn(operation.access) && names.every((name) => requires(operation, name))) {
      reads.set(operation.name, { query, inputOf: (_actor, input) => pick(input, names) })
    }
  }
  return reads
}

const isTagged = (operation: Operation): operation is Query => operation.type === 'query' && operation.tag !== undefined

const groupOf = ({ name }: Operation) => name.split('.', 1)[0]!

const requires = ({ input }: Operation, name: string) => input.shape[name]?.safeParse(undefined).success === false

const pick = (input: Input, names: string[]): Input => Object.fromEntries(names.map((name) => [name, input[name]]))

/**
 * Refuses with PRECONDITION_FAILED if the record has none of the tags.
 * @param db the transaction of the change. Before an action begins: the store
 */
export async function checkPrecondition(
  app: App,
  { actor, input }: Pick<Reached, 'actor' | 'input'>,
  { read: { query, inputOf }, tags }: Precondition,
  db: Reader,
): Promise<void> {
  const { entityTag } = await runQuery(app, actor, query, inputOf(actor, input), db)
  if (tags === '*' || tags.includes(entityTag!)) return
  refuse(
    'PRECONDITION_FAILED',
    `The record was changed since you read it. Read it again with ${query.name}, and repeat the call with the new tag ` +
      'in If-Match',
    { entityTag: entityTag! },
  )
}

/** The tag of the record after the change; null if the change has removed the record. */
export async function tagAfter(
  app: App,
  { actor, input }: Pick<Reached, 'actor' | 'input'>,
  { read }: Precondition,
  db: Reader,
) {
  try {
    return (await runQuery(app, actor, read.query, read.inputOf(actor, input), db)).entityTag
  } catch (error) {
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return null
    throw error
  }
}
