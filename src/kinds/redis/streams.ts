/**
 * The streams in an RDB file: their entries, and their groups with consumers and pending entries. Deleted entries, which
 * the server keeps until their whole node is empty, do not count. Pure.
 */
import { RowHash, RowSum } from '../archive-sums.ts'
import { BrokenArchive } from '../backup.ts'
import type { ReadingCosts } from '../reading-costs.ts'
import { hashNumber, hashSink, hashSum } from './digests.ts'
import { listpackHeader, listpackItem } from './packed.ts'
import { Feed, type Parser, type Pull } from './pull.ts'
import { integer, length, passText, type Sink, type Strings } from './strings.ts'

/** The version of the form: 1 of Redis 5, 2 of Redis 7.0, 3 of Redis 7.2. */
export type StreamForm = 1 | 2 | 3

const [isDeletedFlag, hasSameFieldsFlag] = [1, 2]
const endMark = 0xff

const refuse: Sink = {
  begin: () => {
    throw new BrokenArchive('The archive has a string where the number of a stream entry must be')
  },
  bytes: () => undefined,
}

/** Reads a stream, and adds its checksum to the hash of its key. */
export function* stream(pull: Pull, form: StreamForm, row: RowHash, strings: Strings, costs: ReadingCosts): Parser {
  const entries = new RowSum()
  for (let left = yield* length(pull); left > 0; left--) yield* node(pull, entries, strings, costs)
  hashSum(row, entries)
  // The number of entries, the last id; since form 2 the first id, the highest deleted id, and how many were ever added.
  for (let left = form === 1 ? 3 : 8; left > 0; left--) hashNumber(row, yield* integer(pull))
  const groups = new RowSum()
  for (let left = yield* length(pull); left > 0; left--) {
    groups.add(yield* group(pull, form, strings))
    costs.steps += 16
  }
  hashSum(row, groups)
}

/** Reads a node: its key, which is the id that the ids of its entries continue, and a listpack with the entries. */
function* node(pull: Pull, entries: RowSum, strings: Strings, costs: ReadingCosts): Parser {
  const id = Buffer.alloc(16)
  let filled = 0
  yield* strings.read(pull, {
    begin(size) {
      if (size !== id.length) throw new BrokenArchive('The archive has a node of a stream without an id')
    },
    bytes(piece, from, to) {
      id.set(piece.subarray(from, to), filled)
      filled += to - from
    },
  })
  const first = { ms: id.readBigUInt64BE(0), sequence: id.readBigUInt64BE(8) }
  const feed = new Feed((inner) => nodeEntries(inner, first, entries, costs))
  yield* strings.read(pull, { begin: () => undefined, bytes: (piece, from, to) => feed.write(piece, from, to) })
  if (!feed.isDone) throw new BrokenArchive('The archive has an incomplete node of a stream')
}

interface EntryId {
  ms: bigint
  sequence: bigint
}

/** Reads the listpack of a node. The first item counts the entries, and the fields of the first entry follow. */
function* nodeEntries(pull: Pull, first: EntryId, entries: RowSum, costs: ReadingCosts): Parser {
  const [hash, names] = [new RowHash(), new RowHash()]
  const [values, fields] = [hashSink(hash), hashSink(names)]
  yield* listpackHeader(pull)
  yield* number(pull)
  yield* number(pull)
  const sharedCount = yield* number(pull)
  for (let left = sharedCount; left > 0n; left--) yield* text(pull, fields, costs)
  const shared = digestOf(names)
  yield* number(pull)
  for (;;) {
    const code = yield* pull.byte()
    if (code === endMark) return
    const flags = Number(yield* numberWith(pull, code))
    const id = { ms: first.ms + (yield* number(pull)), sequence: first.sequence + (yield* number(pull)) }
    const hasSameFields = (flags & hasSameFieldsFlag) !== 0
    for (let left = hasSameFields ? sharedCount : yield* number(pull); left > 0n; left--) {
      if (!hasSameFields) yield* text(pull, fields, costs)
      yield* text(pull, values, costs)
    }
    yield* number(pull)
    const own = digestOf(names)
    for (const it of [id.ms, id.sequence, ...(hasSameFields ? shared : own)]) hashNumber(hash, it)
    if ((flags & isDeletedFlag) === 0) entries.add(hash)
    else hash.reset()
    costs.steps += 16
  }
}

function digestOf(names: RowHash): (number | bigint)[] {
  const digest = [names.a, names.b, names.pending, names.length]
  names.reset()
  return digest
}

function* text(pull: Pull, sink: Sink, costs: ReadingCosts): Parser {
  const digits = yield* listpackItem(pull, yield* pull.byte(), sink)
  if (digits !== null) passText(digits, sink)
  costs.steps += 4
}

function* number(pull: Pull): Parser<bigint> {
  return yield* numberWith(pull, yield* pull.byte())
}

function* numberWith(pull: Pull, code: number): Parser<bigint> {
  if (code === endMark) throw new BrokenArchive('The archive has an incomplete entry of a stream')
  return BigInt((yield* listpackItem(pull, code, refuse)) ?? 0)
}

/** Reads a consumer group, and returns the hash of it. */
function* group(pull: Pull, form: StreamForm, strings: Strings): Parser<RowHash> {
  const hash = new RowHash()
  yield* strings.read(pull, hashSink(hash))
  // The last id that was delivered; since form 2 how many entries were read.
  for (let left = form === 1 ? 2 : 3; left > 0; left--) hashNumber(hash, yield* integer(pull))
  const pass = (size: number) => pull.pass(size, (piece, from, to) => hash.update(piece, from, to))
  const pending = yield* length(pull)
  hashNumber(hash, pending)
  for (let left = pending; left > 0; left--) {
    yield* pass(24)
    hashNumber(hash, yield* integer(pull))
  }
  const consumers = yield* length(pull)
  hashNumber(hash, consumers)
  for (let left = consumers; left > 0; left--) {
    yield* strings.read(pull, hashSink(hash))
    // When the consumer was last seen, and since form 3 when it was last active, is not data.
    yield* pull.pass(form === 3 ? 16 : 8, () => undefined)
    const own = yield* length(pull)
    hashNumber(hash, own)
    for (let owned = own; owned > 0; owned--) yield* pass(16)
  }
  return hash
}
