/**
 * The compact forms in which a server keeps small values as one string: listpack (since version 7), ziplist (before)
 * and intset. Pure.
 */
import { BrokenArchive } from '../backup.ts'
import type { ReadingCosts } from '../reading-costs.ts'
import type { Parser, Pull } from './pull.ts'
import { passBytes, passText, type Sink } from './strings.ts'

/** Receives the strings of a value one after another. Numbers arrive in decimal digits. */
export interface Items {
  /** Where the next string goes. */
  sink(): Sink
  /** The string is complete. */
  end(): void
}

const endMark = 0xff

/** The size in bytes of the number behind an item of a listpack that repeats the size of the item. */
function backSize(size: number): number {
  if (size <= 127) return 1
  if (size < 16383) return 2
  if (size < 2097151) return 3
  return size < 268435455 ? 4 : 5
}

const ignore = () => undefined

/** Reads a signed number of 1, 2, 3, 4 or 8 bytes, in decimal digits. */
function* number(pull: Pull, size: number): Parser<string> {
  const word = yield* pull.word(size)
  return size === 8 ? String(word.readBigInt64LE()) : String(word.readIntLE(0, size))
}

/** The numbers of a listpack: the size of a number by the code of the item. */
const listpackNumbers: Readonly<Record<number, number>> = { 241: 2, 242: 3, 243: 4, 244: 8 }

/** Reads an item of a listpack. Returns a number in decimal digits, or null for a string, which `sink` gets. */
export function* listpackItem(pull: Pull, code: number, sink: Sink): Parser<string | null> {
  let text: string | null = null
  let size = 1
  if (code < 0x80) text = String(code)
  else if (code < 0xc0) size += yield* passString(pull, code & 0x3f, sink)
  else if (code < 0xe0) {
    const value = ((code & 0x1f) << 8) | (yield* pull.byte())
    text = String(value >= 4096 ? value - 8192 : value)
    size = 2
  } else if (code < 0xf0) {
    const low = yield* pull.byte()
    size = 2 + (yield* passString(pull, ((code & 0x0f) << 8) | low, sink))
  } else if (code === 0xf0) {
    const stringSize = (yield* pull.word(4)).readUInt32LE()
    size = 5 + (yield* passString(pull, stringSize, sink))
  } else {
    const numberSize = listpackNumbers[code]
    if (numberSize === undefined) throw new BrokenArchive(`The archive has an unknown item in a listpack (${code})`)
    text = yield* number(pull, numberSize)
    size += numberSize
  }
  yield* pull.pass(backSize(size), ignore)
  return text
}

function* passString(pull: Pull, size: number, sink: Sink): Parser<number> {
  sink.begin(size)
  yield* pull.pass(size, sink.bytes)
  return size
}

/** Reads the header of a listpack. Its two numbers follow from the items. */
export function* listpackHeader(pull: Pull): Parser {
  yield* pull.pass(6, ignore)
}

/** The numbers of which a listpack has a form of one byte. */
const smallNumbers = Array.from({ length: 128 }, (_, value) => Buffer.from(String(value)))

/** Reads a small number or a short string if the present piece has all of it. @returns whether it has */
function itemNow(pull: Pull, items: Items): boolean {
  if (pull.left < 2) return false
  const code = pull.peek(0)
  if (code >= 0xc0) return false
  const size = code < 0x80 ? 0 : code & 0x3f
  if (pull.left < size + 2) return false
  const sink = items.sink()
  if (code < 0x80) passBytes(smallNumbers[code]!, sink)
  else {
    sink.begin(size)
    pull.take(1, size, sink.bytes)
  }
  pull.take(code < 0x80 ? 2 : 1, 0, ignore)
  items.end()
  return true
}

export function* listpack(pull: Pull, items: Items, costs: ReadingCosts): Parser {
  yield* listpackHeader(pull)
  for (;;) {
    while (itemNow(pull, items)) costs.steps += 4
    const code = yield* pull.byte()
    if (code === endMark) return
    const sink = items.sink()
    const text = yield* listpackItem(pull, code, sink)
    if (text !== null) passText(text, sink)
    items.end()
    costs.steps += 4
  }
}

export function* ziplist(pull: Pull, items: Items, costs: ReadingCosts): Parser {
  yield* pull.pass(10, ignore)
  for (;;) {
    const previous = yield* pull.byte()
    if (previous === endMark) return
    if (previous === 0xfe) yield* pull.pass(4, ignore)
    const sink = items.sink()
    yield* ziplistItem(pull, sink)
    items.end()
    costs.steps += 4
  }
}

/** The numbers of a ziplist: the size of a number by the code of the item. */
const ziplistNumbers: Readonly<Record<number, number>> = { 192: 2, 208: 4, 224: 8, 240: 3, 254: 1 }

function* ziplistItem(pull: Pull, sink: Sink): Parser {
  const code = yield* pull.byte()
  const low = code & 0x3f
  if (code < 0x40) yield* passString(pull, low, sink)
  else if (code < 0x80) yield* passString(pull, (low << 8) | (yield* pull.byte()), sink)
  else if (code === 0x80) yield* passString(pull, (yield* pull.word(4)).readUInt32BE(), sink)
  else if (code > 0xf0 && code < 0xfe) passText(String((code & 0x0f) - 1), sink)
  else {
    const size = ziplistNumbers[code]
    if (size === undefined) throw new BrokenArchive(`The archive has an unknown item in a ziplist (${code})`)
    passText(yield* number(pull, size), sink)
  }
}

export function* intset(pull: Pull, items: Items, costs: ReadingCosts): Parser {
  const size = (yield* pull.word(4)).readUInt32LE()
  const count = (yield* pull.word(4)).readUInt32LE()
  if (size !== 2 && size !== 4 && size !== 8) throw new BrokenArchive(`The archive has an intset of size ${size}`)
  for (let left = count; left > 0; left--) {
    passText(yield* number(pull, size), items.sink())
    items.end()
    costs.steps += 4
  }
}
