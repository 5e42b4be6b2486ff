/**
 * Reads the archive of mongodump. The archive has a magic number, a document about the dump, documents that describe
 * the collections, and blocks of documents. A header with the name of the collection precedes each block. A last header
 * with a checksum of all documents ends each collection.
 */
import { RowHash, Sums } from '../archive-sums.ts'
import { type ArchiveContents, type ArchiveReader, BrokenArchive, short } from '../backup.ts'
import { type Field, fieldsOf, hashWithout } from '../bson-header.ts'
import { Crc64 } from '../../lib/crc64.ts'
import { KeptBytes, ReadingCosts } from '../reading-costs.ts'
import { canonicalDescription } from './description.ts'

const magic = 0x8199e26d
const terminator = -1
/** Larger documents are refused. The server allows 16 MiB for documents of users, and more for its own documents. */
const maxDocumentBytes = 64 * 1024 * 1024
/** Larger users and roles are refused, because Berth keeps them. The server allows 16 MiB and some KiB. */
const maxSpecialBytes = 17 * 1024 * 1024
/** Larger headers and descriptions of collections are refused, for the same reason. */
const maxHeaderBytes = 4 * 1024 * 1024
/** How often a document that is kept is passed over at its end. */
const passesAtEnd = 8
/** What the end of a document costs besides its bytes. */
const endSteps = 32

/**
 * The collections in which mongodump writes the users and roles of the database. It writes their schema version into a
 * third collection, which is not counted.
 */
const specialCollections = new Map([
  ['$admin.system.users', 'USER'],
  ['$admin.system.roles', 'ROLE'],
])

type Section = 'magic' | 'about' | 'described' | 'header' | 'documents'

interface Collection {
  name: string
  /** The type of objects that its documents describe. Null for a collection of users. */
  objectType: string | null
  crc: Crc64
  isEnded: boolean
}

export function mongoReader(): ArchiveReader {
  return new Reader()
}

class Reader implements ArchiveReader {
  readonly costs = new ReadingCosts()
  #tables = new Sums(this.costs)
  #objects = new Sums(this.costs)
  #hash = new RowHash()
  #collections = new Map<string, Collection>()
  #database: string | null = null
  #section: Section = 'magic'
  #current: Collection | null = null
  /** The bytes of the current document's length that have been received. */
  #size = Buffer.alloc(4)
  #sizeLength = 0
  /** How many bytes of the current document have not been received. */
  #remaining = 0
  #document = new KeptBytes(this.costs, maxSpecialBytes)

  write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const next = this.#remaining > 0 ? this.#more(chunk, at) : this.#begin(chunk, at)
      this.costs.steps += next - at + 1
      at = next
    }
  }

  end(): ArchiveContents {
    const unended = [...this.#collections.values()].find(({ name, isEnded }) => !isEnded && !this.#hasBuckets(name))
    if (unended !== undefined)
      throw new BrokenArchive(`The archive is truncated in the collection ${short(unended.name)}`)
    if (this.#section !== 'header' || this.#remaining > 0 || this.#sizeLength > 0) {
      throw new BrokenArchive('The archive is truncated')
    }
    return { tables: this.#tables.counted(), objects: this.#objects.counted(), roles: null, database: this.#database }
  }

  /**
   * Whether the collection is a time series whose documents are complete. A time series is described by its own name,
   * but its documents are in the collection `system.buckets.<name>`.
   */
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
    if (size >>> 0 !== magic) throw new BrokenArchive('This is not an archive of mongodump')
    this.#section = 'about'
  }

  #endPart(): void {
    if (this.#section === 'described') this.#section = 'header'
    else if (this.#section === 'documents') this.#section = 'header'
    else throw new BrokenArchive('The archive has an end mark outside of a section')
  }

  #open(size: number): void {
    const max = this.#maxBytes()
    if (size < 5) throw new BrokenArchive(`The archive has a document of ${size} bytes`)
    if (size > max)
      throw new BrokenArchive(`The archive has a document of ${size} bytes. Berth reads at most ${max} here`)
    this.#remaining = size - 4
    this.#document.clear()
    this.#add(this.#size, 0, 4)
  }

  #maxBytes(): number {
    if (this.#section !== 'documents') return maxHeaderBytes
    return this.#current!.objectType === null ? maxDocumentBytes : maxSpecialBytes
  }

  #more(chunk: Buffer, from: number): number {
    const to = Math.min(chunk.length, from + this.#remaining)
    this.#add(chunk, from, to)
    this.#remaining -= to - from
    if (this.#remaining === 0) this.#close(chunk[to - 1]!)
    return to
  }

  /** Keeps the bytes of headers, users and roles. Adds the bytes of all other documents to the row hash instead. */
  #add(chunk: Buffer, from: number, to: number): void {
    if (this.#section !== 'documents') {
      this.#document.add(chunk, from, to)
      return
    }
    const { crc, objectType } = this.#current!
    crc.update(chunk, from, to)
    if (objectType !== null) this.#document.add(chunk, from, to)
    else this.#hash.update(chunk, from, to)
  }

  #close(last: number): void {
    if (last !== 0) throw new BrokenArchive('The archive has a document with a wrong length')
    this.costs.steps += passesAtEnd * this.#document.length + endSteps
    if (this.#section === 'documents') {
      this.#count(this.#current!)
      return
    }
    const fields = fieldsOf(this.#document.bytes())
    this.#document.clear()
    if (this.#section === 'about') this.#section = 'described'
    else if (this.#section === 'described') this.#describe(fields)
    else this.#header(fields)
  }

  #count({ name, objectType }: Collection): void {
    if (objectType === null) {
      if (name.startsWith('$')) this.#hash.reset()
      else this.#tables.of(name).add(this.#hash)
      return
    }
    // A restored user has another id.
    hashWithout(this.#document.bytes(), 'userId', this.#hash)
    this.#document.clear()
    this.#objects.of(objectType).add(this.#hash)
  }

  #describe(fields: Record<string, Field>): void {
    const { name } = this.#collectionOf(fields)
    if (name.startsWith('$')) return
    const { metadata } = fields
    const { type, text } = canonicalDescription(name, String(metadata ?? ''))
    this.#hash.update(Buffer.from(text))
    this.#objects.of(type).add(this.#hash)
    if (type !== 'VIEW') this.#tables.of(name)
  }

  #header(fields: Record<string, Field>): void {
    const collection = this.#collectionOf(fields)
    if (collection.isEnded)
      throw new BrokenArchive(`The archive continues after the end of the collection ${short(collection.name)}`)
    this.#current = collection
    this.#section = 'documents'
    if (fields.EOF !== true) return
    if (fields.CRC !== collection.crc.value()) {
      throw new BrokenArchive(`The documents of ${short(collection.name)} do not match their checksum`)
    }
    collection.isEnded = true
  }

  #collectionOf({ db, collection }: Record<string, Field>): Collection {
    if (typeof db !== 'string' || typeof collection !== 'string') {
      throw new BrokenArchive('The archive has a header without a name')
    }
    this.#database ??= db
    if (this.#database !== db)
      throw new BrokenArchive(`The archive contains two databases: ${short(this.#database)} and ${short(db)}`)
    const existing = this.#collections.get(collection)
    if (existing !== undefined) return existing
    const name = this.costs.keepName(collection)
    const objectType = specialCollections.get(name) ?? null
    const added = { name, objectType, crc: new Crc64(), isEnded: false }
    this.#collections.set(name, added)
    return added
  }
}
