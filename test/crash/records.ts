/**
 * Records of one group as the clients know them: for each all that may be the case. An answered call leaves one
 * possibility, one that was cut off two, and what the store says when Berth is there again has to be one of them.
 */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { type Client, distinct, type Fields, type Outcome, type Told } from './client.ts'

/** `may`: null stands for no record. `name`: by which it is found where its id was lost on the way. */
export interface Known<F extends Fields> {
  id: string | null
  name: string
  may: (F | null)[]
}

export interface Listed {
  id: string
  name: string
  fields: Fields
}

export interface Change<F> {
  operation: string
  input: Fields
  /** What it makes of the record; null: there is none any more. */
  makes(before: F): F | null
  /** Statuses with which it may be refused, beside 404 where the record may be gone. */
  refusals?: number[]
}

/** `list`: all of them with those fields that can be seen. `F` may have more, that are compared elsewhere. */
export function recordsOf<F extends Fields>(client: Client, group: string, list: () => Promise<Listed[]>) {
  let known: Known<F>[] = []
  return { create, change, present, compare, all: () => known }

  /** `idOf`: of the answer. */
  async function create<B = Fields>(
    operation: string,
    input: Fields,
    name: string,
    fields: F,
    idOf: (body: B) => string,
    refusals: number[] = [],
    told: Told = {},
  ): Promise<Outcome<B>> {
    const it: Known<F> = { id: null, name, may: [null, fields] }
    known.push(it)
    const outcome = await client.call<B>(operation, input, told)
    if (outcome.is === 'done') Object.assign(it, { id: idOf(outcome.body), may: [fields] })
    if (outcome.is === 'refused') {
      checkRefusal(operation, outcome, refusals)
      known = known.filter((other) => other !== it)
    }
    return outcome
  }

  async function change(it: Known<F>, { operation, input, makes, refusals = [] }: Change<F>) {
    const before = it.may
    const after = distinct(before.flatMap((may) => (may === null ? [] : [makes(may)])))
    it.may = distinct([...before, ...after])
    const outcome = await client.call(operation, input)
    if (outcome.is === 'done') it.may = after
    if (outcome.is !== 'refused') return outcome
    it.may = before
    if (outcome.status === 404) {
      assert.ok(before.includes(null), `${group}: an acknowledged record is lost. ${operation}: ${outcome.message}`)
      it.may = [null]
    } else checkRefusal(operation, outcome, refusals)
    return outcome
  }

  /** Those that are surely there, with an id to call them by. */
  function present(): (Known<F> & { id: string })[] {
    return known.filter((it): it is Known<F> & { id: string } => it.id !== null && !it.may.includes(null))
  }

  /** What is found is what is known from then on; what is gone has to stay away. */
  async function compare(): Promise<void> {
    const found = await list()
    for (const it of known) {
      const own = found.find(({ id, name }) => (it.id === null ? name === it.name : id === it.id))
      const fits = it.may.filter((may) =>
        may === null || own === undefined
          ? (own === undefined) === (may === null)
          : Object.entries(own.fields).every(([field, value]) => isDeepStrictEqual(value, may[field])),
      )
      assert.ok(
        fits.length > 0,
        `${group} ${it.name}: found is ${JSON.stringify(own?.fields ?? null)}, ` +
          `and what may be is ${JSON.stringify(it.may)}`,
      )
      Object.assign(it, { may: fits, id: own?.id ?? it.id })
    }
    known = known.filter(({ may }) => !isDeepStrictEqual(may, [null]))
    const ids = known.map(({ id }) => id)
    const foreign = found.filter(({ id }) => !ids.includes(id))
    assert.deepEqual(foreign, [], `${group}: records that nobody made, or that were removed`)
    assert.equal(found.length, known.length, `${group}: something is there twice`)
  }
}

function checkRefusal(operation: string, { status, message }: { status: number; message: string }, allowed: number[]) {
  assert.ok(allowed.includes(status), `${operation} was refused with ${status}: ${message}`)
}

/** As lists answer it: the record by its id, its name, and these fields of it. */
export const listing =
  (idField: string, nameField: string, fields: string[]) =>
  (record: Fields): Listed => ({
    id: record[idField] as string,
    name: record[nameField] as string,
    fields: Object.fromEntries(fields.map((name) => [name, record[name]])),
  })
