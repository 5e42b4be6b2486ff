/**
 * Reads the archive of mongodump. The archive has a magic number, documents that describe the collections, then blocks
 * of documents. A header with the collection's name precedes each block. A checksum of all documents ends each
 * collection.
 */
import { RowHash, Sums } from '../archive-sums.ts'
import { type ArchiveContents, type ArchiveReader, BrokenArchive } from '../backup.ts'
import { type Field, fieldsOf, without } from '../bson-header.ts'
import { Crc64 } from '../crc64.ts'

const magic = 0x8199e26d
const terminator = -1
/** The limit of the server is 16 MiB for documents of users, and somewhat more for its own documents. */
const maxDocumentBytes = 64 * 1024 * 1024

/**
 * The names under which mongodump writes the users and roles of the database. It writes the version of both under a
 * third name, which is not counted.
 */
const specialCollections: Record<string, string> = { '$admin.system.users': 'USER', '$admin.system.roles': 'ROLE' }

type Section = 'magic' | 'about' | 'described' | 'header' | 'documents'

interface Collection {
  name: string
  isSpecial: boolean
  crc: Crc64
  isEnded: boolean
}

export function mongoReader(): ArchiveReader {
  return new Reader()
}

class Reader implements ArchiveReader {
  #tables = new Sums()
  #objects = new Sums()
  #hash = new RowHash()
  #collections = new Map<string, Collection>()
  #database: string | null = null
  #section: Section = 'magic'
  #current: Collection | null = null
  /** The bytes of the current document's length that have arrived. */
  #size = Buffer.alloc(4)
  #sizeLength = 0
  /** How many bytes of the current document have not arrived. */
  #left = 0
  #document: Buffer[] = []

  write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) at = this.#left > 0 ? this.#more(chunk, at) : this.#begin(chunk, at)
  }

  end(): ArchiveContents {
    const unended = [...this.#collections.values()].find(({ name, isEnded }) => !isEnded && !this.#hasBuckets(name))
    if (unended !== undefined) throw new BrokenArchive(`The archive ends before the end of ${unended.name}`)
    if (this.#section !== 'header' || this.#left > 0 || this.#sizeLength > 0) {
      throw new BrokenArchive('The archive ends in the middle')
    }
    return { tables: this.#tables.counted(), objects: this.#objects.counted(), roles: null, database: this.#database }
  }

  /** A time series is described under its own name, but its documents are in the collection `system.buckets.<name>`. */
  #hasBuckets(name: string): boolean {
    return this.#collections.get(`system.buckets.${name}`)?.isEnded === true
  }

  #begin(chunk: Buffer, from: number): number {
    const to = Math.min(chunk.length, from + 4 - this.#sizeLength)
    chunk.copy(this.#size, this.#sizeLength, from, to)
    this.#sizeLength += to - from
    if (this.#sizeLength < 4) return to
    this.#sizeLength = 0
    const size = this.#size.readInt32LE()
    if (this.#section === 'magic') this.#magic(size)
    else if (size === terminator) this.#endPart()
    else this.#open(size)
    return to
  }

  #magic(size: number): void {
    if (size >>> 0 !== magic) throw new BrokenArchive('This is no archive of mongodump')
    this.#section = 'about'
  }

  #endPart(): void {
    if (this.#section === 'described') this.#section = 'header'
    else if (this.#section === 'documents') this.#section = 'header'
    else throw new BrokenArchive('The archive has a part that ends before it began')
  }

  #open(size: number): void {
    if (size < 5 || size > maxDocumentBytes) throw new BrokenArchive(`The archive has a document of ${size} bytes`)
    this.#left = size - 4
    this.#document = []
    this.#add(this.#size, 0, 4)
  }

  #more(chunk: Buffer, from: number): number {
    const to = Math.min(chunk.length, from + this.#left)
    this.#add(chunk, from, to)
    this.#left -= to - from
    if (this.#left === 0) this.#close(chunk[to - 1]!)
    return to
  }

  /** Keeps the bytes of headers, users and roles. Of other documents only the checksum is kept. */
  #add(chunk: Buffer, from: number, to: number): void {
    if (this.#section !== 'documents') {
      this.#document.push(Buffer.from(chunk.subarray(from, to)))
      return
    }
    const { crc, isSpecial } = this.#current!
    crc.update(chunk, from, to)
    if (isSpecial) this.#document.push(Buffer.from(chunk.subarray(from, to)))
    else this.#hash.update(chunk, from, to)
  }

  #close(last: number): void {
    if (last !== 0) throw new BrokenArchive('The archive has a document that does not end where it should')
    if (this.#section === 'documents') {
      this.#count(this.#current!.name)
      return
    }
    const fields = fieldsOf(Buffer.concat(this.#document))
    this.#document = []
    if (this.#section === 'about') this.#section = 'described'
    else if (this.#section === 'described') this.#describe(fields)
    else this.#header(fields)
  }

  #count(name: string): void {
    const sort = specialCollections[name]
    if (sort === undefined) {
      if (!name.startsWith('$')) this.#tables.of(name).add(this.#hash)
      return
    }
    // Each restore gives a user another id.
    this.#hash.update(without(Buffer.concat(this.#document), 'userId'))
    this.#objects.of(sort).add(this.#hash)
  }

  #describe(fields: Record<string, Field>): void {
    const { name } = this.#collectionOf(fields)
    if (name.startsWith('$')) return
    const { metadata } = fields
    const { sort, text } = canonicalDescription(name, String(metadata ?? ''))
    this.#hash.update(Buffer.from(text))
    this.#objects.of(sort).add(this.#hash)
    if (sort !== 'VIEW') this.#tables.of(name)
  }

  #header(fields: Record<string, Field>): void {
    const collection = this.#collectionOf(fields)
    if (collection.isEnded) throw new BrokenArchive(`The archive goes on after the end of ${collection.name}`)
    this.#current = collection
    this.#section = 'documents'
    if (fields.EOF !== true) return
    if (fields.CRC !== collection.crc.value()) {
      throw new BrokenArchive(`The documents of ${collection.name} do not have the checksum that was written with them`)
    }
    collection.isEnded = true
  }

  #collectionOf({ db, collection }: Record<string, Field>): Collection {
    if (typeof db !== 'string' || typeof collection !== 'string') {
      throw new BrokenArchive('The archive has a header without a name')
    }
    this.#database ??= db
    if (this.#database !== db) throw new BrokenArchive(`The archive is of two databases, ${this.#database} and ${db}`)
    const existing = this.#collections.get(collection)
    if (existing !== undefined) return existing
    const added = { name: collection, isSpecial: collection.startsWith('$'), crc: new Crc64(), isEnded: false }
    this.#collections.set(collection, added)
    return added
  }
}

/**
 * Returns the sort of a collection and a canonical text of its description. The text leaves out the collection's id,
 * which changes with each restore. Indexes and their options are sorted, because mongorestore does not keep their
 * order. The order of the fields of an index stays.
 */
function canonicalDescription(name: string, metadata: string): { sort: string; text: string } {
  let value: { options?: { viewOn?: string }; indexes?: { name: string; key: object }[]; uuid?: string; type?: string }
  try {
    value = JSON.parse(metadata)
  } catch (error) {
    throw new BrokenArchive(`The archive has a description of ${name} that cannot be read`, { cause: error })
  }
  const { uuid: _, indexes = [], ...rest } = value
  const sorted = indexes
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ key, ...options }) => [Object.entries(key), sortKeys(options)])
  return {
    sort: value.options?.viewOn === undefined ? 'COLLECTION' : 'VIEW',
    text: JSON.stringify([name, rest, sorted]),
  }
}

/** Replaces each object by a list of its fields, sorted by name. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, it]) => [name, sortKeys(it)])
}
