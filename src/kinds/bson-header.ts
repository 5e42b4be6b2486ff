/**
 * Reads the top level of the small BSON documents that describe the contents of a MongoDB archive, and hashes documents
 * without one of their fields. Pure.
 */
import type { RowHash } from './archive-sums.ts'
import { BrokenArchive } from './backup.ts'

export type Field = string | number | bigint | boolean | null

/** The length of a value in bytes, by its type. Null if the value begins with its length. Source: bsonspec.org. */
const lengths = new Map<number, number | null>([
  [0x01, 8],
  [0x02, null],
  [0x03, null],
  [0x04, null],
  [0x05, null],
  [0x07, 12],
  [0x08, 1],
  [0x09, 8],
  [0x0a, 0],
  [0x10, 4],
  [0x11, 8],
  [0x12, 8],
])

/** The names of the fields that headers of an archive need. */
const headerFields = new Set(['db', 'collection', 'metadata', 'EOF', 'CRC'])
const maxNameBytes = 10

/**
 * Returns the fields of a complete document that describe the archive. Values of types that no header needs are null.
 * @throws BrokenArchive
 */
export function fieldsOf(document: Buffer): Record<string, Field> {
  try {
    return read(document)
  } catch (error) {
    throw new BrokenArchive('The archive has an invalid header', { cause: error })
  }
}

function read(document: Buffer): Record<string, Field> {
  const fields: Record<string, Field> = Object.create(null)
  for (const { type, from, value } of elementsOf(document)) {
    if (value - from - 2 > maxNameBytes) continue
    const name = document.toString('utf8', from + 1, value - 1)
    if (headerFields.has(name)) fields[name] = decodeValue(document, type, value)
  }
  return fields
}

/**
 * Adds the raw bytes of all elements of a document to a hash, except those of the given name.
 * @throws BrokenArchive
 */
export function hashWithout(document: Buffer, unwanted: string, hash: RowHash): void {
  const name = Buffer.from(unwanted)
  try {
    for (const { from, value, to } of elementsOf(document)) {
      if (to > document.length) throw new RangeError('a value that is longer than the document')
      if (!name.equals(document.subarray(from + 1, value - 1))) hash.update(document, from, to)
    }
  } catch (error) {
    throw new BrokenArchive('The archive has an invalid user document', { cause: error })
  }
}

/** The positions of a field in its document. */
interface Element {
  type: number
  /** The position of the type byte. The name follows it. */
  from: number
  /** The position of the value, after the zero byte that ends the name. */
  value: number
  /** The position after the value. */
  to: number
}

/** One after the other, because a small document can have millions of empty fields. */
function* elementsOf(document: Buffer): Generator<Element> {
  for (let from = 4; document[from] !== 0; ) {
    const type = document.readUInt8(from)
    const value = document.indexOf(0, from + 1) + 1
    if (value === 0) throw new RangeError('a name without an end')
    const to = value + lengthOf(document, type, value)
    yield { type, from, value, to }
    from = to
  }
}

function lengthOf(document: Buffer, type: number, at: number): number {
  const fixed = lengths.get(type)
  if (fixed === undefined) throw new RangeError(`unknown BSON type ${type}`)
  if (fixed !== null) return fixed
  const length = document.readInt32LE(at)
  if (length < 0) throw new RangeError(`negative length ${length}`)
  return length + (type === 0x02 ? 4 : type === 0x05 ? 5 : 0)
}

function decodeValue(document: Buffer, type: number, at: number): Field {
  switch (type) {
    case 0x02:
      return document.toString('utf8', at + 4, at + 3 + document.readInt32LE(at))
    case 0x08:
      return document.readUInt8(at) !== 0
    case 0x10:
      return document.readInt32LE(at)
    case 0x12:
      return document.readBigInt64LE(at)
    default:
      return null
  }
}
