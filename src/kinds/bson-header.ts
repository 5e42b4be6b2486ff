/**
 * Reads the top level of the small BSON documents that describe the contents of a MongoDB archive, and removes a field
 * from a document. Pure.
 */
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

/**
 * Returns the fields of a complete document. Values of types that no header needs are null.
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
  for (const { name, type, value } of elementsOf(document)) fields[name] = decodeValue(document, type, value)
  return fields
}

/**
 * Returns the raw bytes of all elements of a document except the element of the given name.
 * @throws BrokenArchive
 */
export function without(document: Buffer, unwanted: string): Buffer {
  try {
    const kept = elementsOf(document).filter(({ name }) => name !== unwanted)
    return Buffer.concat(kept.map(({ from, to }) => document.subarray(from, to)))
  } catch (error) {
    throw new BrokenArchive('The archive has an invalid user document', { cause: error })
  }
}

/** One field of a document, with its positions in the document. */
interface Element {
  name: string
  type: number
  /** The position of the type byte. */
  from: number
  /** The position of the value. */
  value: number
  /** The position after the value. */
  to: number
}

function elementsOf(document: Buffer): Element[] {
  const elements: Element[] = []
  for (let from = 4; document[from] !== 0; ) {
    const type = document.readUInt8(from)
    const end = document.indexOf(0, from + 1)
    const value = end + 1
    const to = value + lengthOf(document, type, value)
    elements.push({ name: document.toString('utf8', from + 1, end), type, from, value, to })
    from = to
  }
  return elements
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
