/**
 * Reads an RDB file, the snapshot of a Redis or Valkey server with all its databases. Counts the keys of each database by
 * type. The checksum of a key covers its name, its value and when it expires, and does not depend on how the server
 * stores the value. When a key was last used is left out, because reading changes it.
 */
import { RowHash, type RowSum, Sums } from '../archive-sums.ts'
import { type ArchiveContents, type ArchiveReader, BrokenArchive } from '../backup.ts'
import { Crc64, jones } from '../../lib/crc64.ts'
import { ReadingCosts } from '../reading-costs.ts'
import { hashNumber, hashSink, textSink } from './digests.ts'
import { Feed, type Parser, type Pull } from './pull.ts'
import { length, type Sink, Strings } from './strings.ts'
import { moduleValue, type ValueContext, type ValueType, valueType } from './values.ts'

/** The oldest form that a supported server writes. */
const minForm = 9

const op = {
  slotInfo: 244,
  function: 245,
  moduleAux: 247,
  idle: 248,
  frequency: 249,
  aux: 250,
  resize: 251,
  expiresMs: 252,
  expiresSeconds: 253,
  database: 254,
  end: 255,
} as const

const never = -1
const ignored: Sink = { begin: () => undefined, bytes: () => undefined }

export function redisReader(): ArchiveReader {
  return new Reader()
}

class Reader implements ArchiveReader {
  readonly costs = new ReadingCosts()
  #tables = new Sums(this.costs)
  #objects = new Sums(this.costs)
  #strings = new Strings(this.costs)
  #hash = new RowHash()
  #sink = hashSink(this.#hash)
  /** The sums of the present database. */
  #sums = new Map<ValueType, RowSum>()
  #crc = new Crc64(jones)
  #isCounted = true
  #piece: Uint8Array = new Uint8Array(0)
  #feed = new Feed((pull) => this.#file(pull))
  #product: 'Redis' | 'Valkey' = 'Redis'
  #version = ''
  #database = 0
  #expiresAtMs: number | bigint = never

  write(chunk: Buffer): void {
    this.costs.steps += 2 * chunk.length
    this.#piece = chunk
    this.#feed.write(chunk, 0, chunk.length)
    if (this.#isCounted) this.#crc.update(chunk, 0, chunk.length)
  }

  end(): ArchiveContents {
    if (!this.#feed.isDone) throw new BrokenArchive('The archive is truncated')
    return {
      tables: this.#tables.counted(),
      objects: this.#objects.counted(),
      roles: null,
      database: null,
      server: { product: this.#product, version: this.#version },
    }
  }

  *#file(pull: Pull): Parser {
    const context = { pull, row: this.#hash, sink: this.#sink, strings: this.#strings, costs: this.costs }
    yield* this.#header(pull)
    for (;;) {
      const code = yield* pull.byte()
      if (code === op.end) return yield* this.#end(pull)
      if (code < op.slotInfo) yield* this.#key(context, code)
      else yield* this.#aside(context, code)
      this.costs.steps += 16
    }
  }

  *#header(pull: Pull): Parser {
    const text = textSink(9)
    yield* pull.pass(9, text.bytes)
    const [, magic, form = ''] = /^(REDIS|VALKEY)(\d+)$/.exec(text.text()) ?? []
    if (magic === undefined) throw new BrokenArchive('This is not a snapshot (RDB file) of Redis or Valkey')
    if (Number(form) < minForm)
      throw new BrokenArchive(`The archive has the form ${form}. Berth reads ${minForm} and later`)
    if (magic === 'VALKEY') this.#product = 'Valkey'
  }

  /** Reads what is not a key. */
  *#aside(context: ValueContext, code: number): Parser {
    const { pull } = context
    switch (code) {
      case op.aux:
        return yield* this.#aux(pull)
      case op.database:
        this.#database = yield* length(pull)
        this.#sums.clear()
        return
      case op.expiresMs:
        this.#expiresAtMs = (yield* pull.word(8)).readBigInt64LE()
        return
      case op.expiresSeconds:
        this.#expiresAtMs = 1000 * (yield* pull.word(4)).readInt32LE()
        return
      case op.resize:
        return yield* numbers(pull, 2)
      case op.slotInfo:
        return yield* numbers(pull, 3)
      case op.idle:
        return yield* numbers(pull, 1)
      case op.frequency:
        return void (yield* pull.byte())
      case op.function:
        yield* this.#strings.read(pull, this.#sink)
        this.#objects.of('FUNCTION').add(this.#hash)
        return
      case op.moduleAux:
        return yield* this.#moduleAux(context)
      default:
        throw new BrokenArchive(`The archive has a part of type ${code}, which this version of Berth cannot read`)
    }
  }

  /** A remark about the file. Valkey writes its own version beside the version of Redis that it is compatible with. */
  *#aux(pull: Pull): Parser {
    const [name, value] = [shortened(), shortened()]
    yield* this.#strings.read(pull, name)
    yield* this.#strings.read(pull, value)
    if (name.text() === 'valkey-ver') {
      this.#product = 'Valkey'
      this.#version = value.text()
    } else if (name.text() === 'redis-ver' && this.#product === 'Redis') this.#version = value.text()
  }

  /** What a module keeps beside the keys. Modules may write it anew at any time, so it does not count. */
  *#moduleAux(context: ValueContext): Parser {
    yield* numbers(context.pull, 3)
    yield* moduleValue(context)
    this.#hash.reset()
  }

  *#key(context: ValueContext, code: number): Parser {
    const type = valueType(code, this.#product)
    const { pull, row, sink, strings } = context
    hashNumber(row, this.#expiresAtMs)
    this.#expiresAtMs = never
    if (!strings.readNow(pull, sink)) yield* strings.read(pull, sink)
    yield* type.read(context)
    this.#sumOf(type).add(row)
  }

  #sumOf(type: ValueType): RowSum {
    const known = this.#sums.get(type)
    if (known !== undefined) return known
    const sum = this.#tables.of(`${this.#database} ${type.name}`)
    this.#sums.set(type, sum)
    return sum
  }

  /** Compares the checksum at the end. It is 0 if the server makes none (`rdbchecksum no`). */
  *#end(pull: Pull): Parser {
    this.#crc.update(this.#piece, 0, pull.at)
    this.#isCounted = false
    const expected = (yield* pull.word(8)).readBigInt64LE()
    if (expected !== 0n && expected !== this.#crc.value()) {
      throw new BrokenArchive('The archive does not match its checksum')
    }
  }
}

function* numbers(pull: Pull, count: number): Parser {
  for (let left = count; left > 0; left--) yield* length(pull)
}

/** Keeps the beginning of a string of any length. */
function shortened(): Sink & { text(): string } {
  const kept = textSink(Number.POSITIVE_INFINITY)
  const max = 100
  let left = max
  return {
    ...ignored,
    bytes(piece, from, to) {
      const end = Math.min(to, from + left)
      left -= end - from
      if (end > from) kept.bytes(piece, from, end)
    },
    text: kept.text,
  }
}
