/**
 * Reads what pg_restore makes of an archive: SQL in which a comment stands before each object (TOC entry). Rows of
 * COPY and large objects are counted; every other object is counted by its sort, whatever their order.
 */
import { RowHash, Sums } from '../archive-sums.ts'
import { type ArchiveContents, type ArchiveReader, BrokenArchive } from '../backup.ts'
import { inOrder, rolesNamed } from './roles.ts'

/** Of a line, to see what it is; all of it is in the sum. */
const maxOfLine = 64 * 1024
const newline = 10

const header = /^-- (Data for )?Name: .*; Type: ([A-Z][A-Z ]*); Schema: /
const copy = /^COPY ((?:"(?:[^"]|"")*"|[^ ".]+)(?:\.(?:"(?:[^"]|"")*"|[^ ".]+))*) .*FROM stdin;$/
/** Random, or set before whichever object comes first. */
const noise = /^(?:--|\\(?:un)?restrict \w+|SET default_(?:tablespace|table_access_method|with_oids) = .*;|)$/
const complete = '-- PostgreSQL database dump complete'
const largeObjects = 'large objects'

export function postgresReader(): ArchiveReader {
  return new Reader()
}

class Reader implements ArchiveReader {
  #tables = new Sums()
  #objects = new Sums()
  #roles = new Set<string>()
  /** Of the object, or in COPY of the row. */
  #hash = new RowHash()
  #sort = 'SETTINGS'
  #isData = false
  /** Of the open COPY. */
  #table: string | null = null
  /** The last two bytes of the row, which end COPY where they are all of it. */
  #last = 0
  #line: Buffer[] = []
  #lineLength = 0
  /** Of the object as it was before the line. */
  #before = { ...this.#hash }
  #isComplete = false

  write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) at = this.#table === null ? this.#text(chunk, at) : this.#rows(chunk, at)
  }

  end(): ArchiveContents {
    if (this.#table !== null) throw new BrokenArchive(`The archive ends within the rows of ${this.#table}`)
    if (this.#lineLength > 0) this.#endLine()
    if (!this.#isComplete) throw new BrokenArchive('The archive ends before the mark that it is complete')
    this.#endObject()
    return {
      tables: this.#tables.counted(),
      objects: this.#objects.counted(),
      roles: [...this.#roles].sort(),
      database: null,
    }
  }

  /** In one pass, for this is where the bytes are. */
  #rows(chunk: Buffer, from: number): number {
    const hash = this.#hash
    const sum = this.#tables.of(this.#table!)
    let start = from
    for (;;) {
      const end = chunk.indexOf(newline, start)
      const to = end < 0 ? chunk.length : end
      hash.update(chunk, start, to)
      if (to - start > 1) this.#last = (chunk[to - 2]! << 8) | chunk[to - 1]!
      else if (to > start) this.#last = ((this.#last << 8) | chunk[to - 1]!) & 0xffff
      if (end < 0) return to
      start = end + 1
      if (hash.length === 2 && this.#last === 0x5c2e) {
        this.#table = null
        hash.reset()
        this.#mark()
        return start
      }
      sum.add(hash)
    }
  }

  #text(chunk: Buffer, from: number): number {
    const end = chunk.indexOf(newline, from)
    const to = end < 0 ? chunk.length : end + 1
    const room = maxOfLine - this.#lineLength
    if (room > 0) this.#line.push(Buffer.from(chunk.subarray(from, Math.min(to, from + room))))
    this.#lineLength += to - from
    this.#hash.update(chunk, from, to)
    if (end >= 0) this.#endLine()
    return to
  }

  #endLine(): void {
    const line = Buffer.concat(this.#line).toString().replace(/\n$/, '')
    const isWhole = this.#lineLength <= maxOfLine
    this.#line = []
    this.#lineLength = 0
    this.#look(line, isWhole)
    this.#mark()
  }

  #look(line: string, isWhole: boolean): void {
    const [, isData, sort] = header.exec(line) ?? []
    if (sort !== undefined) {
      this.#begin(sort, isData !== undefined)
      return
    }
    if (line === complete) this.#isComplete = true
    if (line === complete || noise.test(line) || this.#isAround(line)) {
      this.#takeBack()
      return
    }
    this.#isComplete = false
    if (this.#isData && this.#sort === 'TABLE DATA') {
      const [, table] = (isWhole && copy.exec(line)) || []
      if (table !== undefined) this.#open(table)
    } else if (this.#isData) {
      if (line === 'SELECT pg_catalog.lo_close(0);') this.#tables.of(largeObjects).add(this.#hash)
    } else if (isWhole) {
      if (this.#sort === 'POLICY') this.#putInstead(inOrder(line))
      for (const role of rolesNamed(this.#sort, line)) this.#roles.add(role)
    }
  }

  /** What the text begins with, and the transaction that it makes of large objects. */
  #isAround(line: string): boolean {
    return this.#sort === 'SETTINGS' ? line.startsWith('--') : this.#isData && /^(?:BEGIN|COMMIT);$/.test(line)
  }

  /** The table is there although it has no rows. */
  #open(table: string): void {
    this.#endObject()
    this.#tables.of(table)
    this.#table = table
    this.#last = 0
  }

  #begin(sort: string, isData: boolean): void {
    this.#takeBack()
    this.#endObject()
    this.#sort = sort
    this.#isData = isData
    this.#isComplete = false
  }

  #endObject(): void {
    if (this.#hash.length > 0) this.#objects.of(this.#sort).add(this.#hash)
  }

  #putInstead(line: string): void {
    this.#takeBack()
    this.#hash.update(Buffer.from(`${line}\n`))
  }

  #mark(): void {
    const { a, b, length, pending } = this.#hash
    this.#before = { a, b, length, pending }
  }

  #takeBack(): void {
    Object.assign(this.#hash, this.#before)
  }
}
