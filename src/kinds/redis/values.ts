/** The values of keys in an RDB file, by the type of each. Pure. */
import type { RowHash } from '../archive-sums.ts'
import { BrokenArchive } from '../backup.ts'
import type { ReadingCosts } from '../reading-costs.ts'
import { ExpiringFields, hashNumber, listMembers, type Members, PlainMembers, ScoredMembers } from './digests.ts'
import { intset, type Items, listpack, ziplist } from './packed.ts'
import { Feed, type Parser, type Pull } from './pull.ts'
import { integer, length, type Sink, type Strings } from './strings.ts'
import { stream } from './streams.ts'

/** What a value is read with. */
export interface ValueContext {
  pull: Pull
  /** The hash of the key, which gets the checksum of the value. */
  row: RowHash
  /** Adds strings to `row`. */
  sink: Sink
  strings: Strings
  costs: ReadingCosts
}

export interface ValueType {
  /** The name of the type in Redis. */
  name: string
  read(context: ValueContext): Parser
}

type Pack = (pull: Pull, items: Items, costs: ReadingCosts) => Parser

/** Reads a packed form, which is one string. */
function* packed({ pull, strings, costs }: ValueContext, pack: Pack, items: Items): Parser {
  const feed = new Feed((inner) => pack(inner, items, costs))
  yield* strings.read(pull, { begin: () => undefined, bytes: (piece, from, to) => feed.write(piece, from, to) })
  if (!feed.isDone) throw new BrokenArchive('The archive has an incomplete value')
}

function* packedMembers(context: ValueContext, pack: Pack, members: Members): Parser {
  yield* packed(context, pack, members)
  members.finish(context.row)
}

/** Reads members of which each is `size` strings. */
function* plainMembers({ pull, row, strings, costs }: ValueContext, size: number): Parser {
  const members = new PlainMembers(size)
  for (let left = yield* length(pull); left > 0; left--) {
    for (let each = 0; each < size; each++) {
      const sink = members.sink()
      if (!strings.readNow(pull, sink)) yield* strings.read(pull, sink)
      members.end()
    }
    costs.steps += 8
  }
  members.finish(row)
}

function* scoredMembers({ pull, row, strings, costs }: ValueContext): Parser {
  const members = new ScoredMembers()
  for (let left = yield* length(pull); left > 0; left--) {
    const sink = members.sink()
    if (!strings.readNow(pull, sink)) yield* strings.read(pull, sink)
    members.score((yield* pull.word(8)).readDoubleLE())
    members.next()
    costs.steps += 8
  }
  members.finish(row)
}

/** A list of nodes. @param hasPlainNodes whether a code before each node says if it is a single element (1) or packed */
function* list(context: ValueContext, pack: Pack, hasPlainNodes: boolean): Parser {
  const { pull, row, strings, costs } = context
  const members = listMembers()
  for (let left = yield* length(pull); left > 0; left--) {
    if (hasPlainNodes && (yield* length(pull)) === 1) {
      yield* strings.read(pull, members.sink())
      members.end()
    } else yield* packed(context, pack, members)
    costs.steps += 8
  }
  members.finish(row)
}

/** Fields with the times at which they expire, in Redis since 7.4: relative to the earliest of them, plus 1; 0: never. */
function* redisExpiringFields({ pull, row, strings, costs }: ValueContext): Parser {
  const fields = new ExpiringFields()
  const earliestMs = (yield* pull.word(8)).readBigUInt64LE()
  for (let left = yield* length(pull); left > 0; left--) {
    const delayMs = yield* integer(pull)
    yield* fieldAndValue(pull, strings, fields)
    fields.expires(delayMs === 0n ? 0n : earliestMs + delayMs - 1n)
    fields.next()
    costs.steps += 8
  }
  fields.finish(row)
}

/** Fields with the times at which they expire, in Valkey since 9.0; -1: never. */
function* valkeyExpiringFields({ pull, row, strings, costs }: ValueContext): Parser {
  const fields = new ExpiringFields()
  for (let left = yield* length(pull); left > 0; left--) {
    yield* fieldAndValue(pull, strings, fields)
    const atMs = (yield* pull.word(8)).readBigInt64LE()
    fields.expires(atMs === -1n ? 0n : atMs)
    fields.next()
    costs.steps += 8
  }
  fields.finish(row)
}

function* fieldAndValue(pull: Pull, strings: Strings, fields: ExpiringFields): Parser {
  for (let each = 0; each < 2; each++) {
    yield* strings.read(pull, fields.sink())
    fields.end()
  }
}

/** A hash in a listpack with the time of each field behind it. The earliest time precedes it. */
function* packedExpiringFields(context: ValueContext): Parser {
  yield* context.pull.word(8)
  yield* packedMembers(context, listpack, new ExpiringFields())
}

/** The value of a module, which only the module understands. Its parts are marked, so they can be passed over. */
export function* moduleValue({ pull, row, sink, strings, costs }: ValueContext): Parser {
  for (;;) {
    const mark = yield* length(pull)
    hashNumber(row, mark)
    if (mark === 0) return
    if (mark === 1 || mark === 2) hashNumber(row, yield* integer(pull))
    else if (mark === 3 || mark === 4) {
      yield* pull.pass(mark === 3 ? 4 : 8, (piece, from, to) => row.update(piece, from, to))
    } else if (mark === 5) yield* strings.read(pull, sink)
    else throw new BrokenArchive(`The archive has an unknown part in the value of a module (${mark})`)
    costs.steps += 4
  }
}

function* module(context: ValueContext): Parser {
  hashNumber(context.row, yield* integer(context.pull))
  yield* moduleValue(context)
}

function* string({ pull, sink, strings }: ValueContext): Parser {
  if (!strings.readNow(pull, sink)) yield* strings.read(pull, sink)
}

const of = (name: string, read: ValueType['read']): ValueType => ({ name, read })

/** The types by their numbers in the file. */
const types = new Map<number, ValueType>([
  [0, of('string', string)],
  [2, of('set', (it) => plainMembers(it, 1))],
  [4, of('hash', (it) => plainMembers(it, 2))],
  [5, of('zset', scoredMembers)],
  [7, of('module', module)],
  [11, of('set', (it) => packedMembers(it, intset, new PlainMembers(1)))],
  [12, of('zset', (it) => packedMembers(it, ziplist, new ScoredMembers()))],
  [13, of('hash', (it) => packedMembers(it, ziplist, new PlainMembers(2)))],
  [14, of('list', (it) => list(it, ziplist, false))],
  [15, of('stream', (it) => stream(it.pull, 1, it.row, it.strings, it.costs))],
  [16, of('hash', (it) => packedMembers(it, listpack, new PlainMembers(2)))],
  [17, of('zset', (it) => packedMembers(it, listpack, new ScoredMembers()))],
  [18, of('list', (it) => list(it, listpack, true))],
  [19, of('stream', (it) => stream(it.pull, 2, it.row, it.strings, it.costs))],
  [20, of('set', (it) => packedMembers(it, listpack, new PlainMembers(1)))],
  [21, of('stream', (it) => stream(it.pull, 3, it.row, it.strings, it.costs))],
])
const redisTypes = new Map([...types, [24, of('hash', redisExpiringFields)], [25, of('hash', packedExpiringFields)]])
const valkeyTypes = new Map([...types, [22, of('hash', valkeyExpiringFields)]])

/** @throws BrokenArchive if this version of Berth does not know the type */
export function valueType(code: number, product: 'Redis' | 'Valkey'): ValueType {
  const type = (product === 'Redis' ? redisTypes : valkeyTypes).get(code)
  if (type !== undefined) return type
  throw new BrokenArchive(
    `The archive of ${product} has a value of type ${code}, which this version of Berth cannot read`,
  )
}
