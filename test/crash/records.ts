/**
 * The records of a group as the client knows them, each with all its possible states. An acknowledged call leaves one
 * possible state. A call that was cut off leaves two: before and after the call. After a restart, the state in the
 * store must be one of the possible states.
 */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { compareData } from '../fixtures/compare-data.ts'
import { type Client, distinct, type Fields, type Outcome, type CallOptions } from './client.ts'

export interface Known<F extends Fields> {
  /** Null if the response with the id was lost. */
  id: string | null
  /** Identifies the record as long as its id is not known. */
  name: string
  /** The possible states. Null means that the record does not exist. */
  possible: (F | null)[]
}

export interface Listed {
  id: string
  name: string
  fields: Fields
}

export interface Change<F> {
  operation: string
  input: Fields
  /** Returns the state after the call; null if the call removes the record. */
  apply(before: F): F | null
  /** The statuses with which the call may be refused, in addition to 404 if the record may be removed. */
  refusals?: number[]
}

/**
 * @param list returns all records with the fields that the API returns. Other fields of `F` are not compared here.
 */
export function recordsOf<F extends Fields>(client: Client, group: string, list: () => Promise<Listed[]>) {
  let known: Known<F>[] = []
  return { create, change, present, compare, all: () => known }

  /** @param idOf returns the id in the response */
  async function create<B = Fields>(
    operation: string,
    input: Fields,
    name: string,
    fields: F,
    idOf: (body: B) => string,
    refusals: number[] = [],
    options: CallOptions = {},
  ): Promise<Outcome<B>> {
    const record: Known<F> = { id: null, name, possible: [null, fields] }
    known.push(record)
    const outcome = await client.call<B>(operation, input, options)
    if (outcome.result === 'done') Object.assign(record, { id: idOf(outcome.body), possible: [fields] })
    if (outcome.result === 'refused') {
      checkRefusal(operation, outcome, refusals)
      known = known.filter((other) => other !== record)
    }
    return outcome
  }

  async function change(record: Known<F>, { operation, input, apply, refusals = [] }: Change<F>) {
    const before = record.possible
    const after = distinct(before.flatMap((state) => (state === null ? [] : [apply(state)])))
    record.possible = distinct([...before, ...after])
    const outcome = await client.call(operation, input)
    if (outcome.result === 'done') record.possible = after
    if (outcome.result !== 'refused') return outcome
    record.possible = before
    if (outcome.status === 404) {
      await compareData(`${group}: an acknowledged record is lost`, () =>
        assert.ok(before.includes(null), `${operation}: ${outcome.message}`),
      )
      record.possible = [null]
    } else checkRefusal(operation, outcome, refusals)
    return outcome
  }

  /** Returns the records that certainly exist and whose id is known. */
  function present(): (Known<F> & { id: string })[] {
    return known.filter(
      (record): record is Known<F> & { id: string } => record.id !== null && !record.possible.includes(null),
    )
  }

  /** Compares the records with the store. From then on, the state in the store is the only possible one. */
  async function compare(): Promise<void> {
    const found = await list()
    for (const record of known) {
      const own = found.find(({ id, name }) => (record.id === null ? name === record.name : id === record.id))
      const fits = record.possible.filter((state) =>
        state === null || own === undefined
          ? (own === undefined) === (state === null)
          : Object.entries(own.fields).every(([field, value]) => isDeepStrictEqual(value, state[field])),
      )
      assert.ok(
        fits.length > 0,
        `${group} ${record.name}: the state is ${JSON.stringify(own?.fields ?? null)}, ` +
          `and the possible states are ${JSON.stringify(record.possible)}`,
      )
      Object.assign(record, { possible: fits, id: own?.id ?? record.id })
    }
    known = known.filter(({ possible }) => !isDeepStrictEqual(possible, [null]))
    const ids = known.map(({ id }) => id)
    const foreign = found.filter(({ id }) => !ids.includes(id))
    assert.deepEqual(foreign, [], `${group}: records that were never created, or that were removed`)
    assert.equal(found.length, known.length, `${group}: a record exists twice`)
  }
}

function checkRefusal(operation: string, { status, message }: { status: number; message: string }, allowed: number[]) {
  assert.ok(allowed.includes(status), `${operation} was refused with ${status}: ${message}`)
}

/** Returns a function that takes the id, the name and these fields from a record of a list. */
export const listing =
  (idField: string, nameField: string, fields: string[]) =>
  (record: Fields): Listed => ({
    id: record[idField] as string,
    name: record[nameField] as string,
    fields: Object.fromEntries(fields.map((name) => [name, record[name]])),
  })
