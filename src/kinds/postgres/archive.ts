/**
 * Reads the SQL that pg_restore prints for an archive. A comment precedes each object (TOC entry). Rows of COPY and
 * large objects are counted. All other objects are counted by type. The order of objects and rows does not matter.
 */
import { RowHash, Sums } from '../archive-sums.ts'
import { type ArchiveContents, type ArchiveReader, BrokenArchive, short } from '../backup.ts'
import { KeptBytes, ReadingCosts } from '../reading-costs.ts'
import { rolesNamed, withSortedRoles } from './roles.ts'

/** How many bytes of a line are kept to recognize the statement. The checksum covers the whole line. */
const maxLineBytes = 64 * 1024
const newline = 10
/** How often the text of a line is passed over at its end. */
const passesAtEnd = 8
/** What the end of a line costs besides its text. */
const endSteps = 32

const header = /^-- (Data for )?Name: .*; Type: ([A-Z][A-Z ]*); Schema: /
const copy = /^COPY ((?:"(?:[^"]|"")*"|[^ ".]+)(?:\.(?:"(?:[^"]|"")*"|[^ ".]+))*) .*FROM stdin;$/
/**
 * Lines that differ between equal databases: random values, and settings that pg_restore prints before the first object
 * that needs them.
 */
const noise = /^(?:--|\\(?:un)?restrict \w+|SET default_(?:tablespace|table_access_method|with_oids) = .*;|)$/
const complete = '-- PostgreSQL database dump complete'
const largeObjects = 'large objects'

export function postgresReader(): ArchiveReader {
  return new Reader()
}

class Reader implements ArchiveReader {
  readonly costs = new ReadingCosts()
  #tables = new Sums(this.costs)
  #objects = new Sums(this.costs)
  #roles = new Set<string>()
  /** Within COPY, the hash of the current row. Otherwise the hash of the current object. */
  #hash = new RowHash()
  /** The type of the current object. */
  #type = 'SETTINGS'
  #isData = false
  /** The table of the current COPY. Null outside of COPY. */
  #table: string | null = null
  /** The last two bytes of the row. A row that consists of `\.` ends COPY. */
  #last = 0
  #line = new KeptBytes(this.costs, maxLineBytes)
  /** The length of the line so far, with the part that is not kept. */
  #lineLength = 0
  /** The hash of the object without the current line. */
  #hashBefore = { ...this.#hash }
  #isComplete = false

  write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const next = this.#table === null ? this.#text(chunk, at) : this.#rows(chunk, at)
      this.costs.steps += next - at + 1
      at = next
    }
  }

  end(): ArchiveContents {
    if (this.#table !== null) throw new BrokenArchive(`The archive ends within the rows of ${short(this.#table)}`)
    if (this.#lineLength > 0) this.#endLine()
    if (!this.#isComplete) throw new BrokenArchive('The archive is truncated: its end mark is missing')
    this.#endObject()
    return {
      tables: this.#tables.counted(),
      objects: this.#objects.counted(),
      roles: [...this.#roles].sort(),
      database: null,
    }
  }

  /** Reads rows of COPY. Most bytes of an archive are in rows, so this method reads each byte only once. */
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
        this.#keepLine()
        return start
      }
      sum.add(hash)
    }
  }

  #text(chunk: Buffer, from: number): number {
    const end = chunk.indexOf(newline, from)
    const to = end < 0 ? chunk.length : end + 1
    this.#line.add(chunk, from, to)
    this.#lineLength += to - from
    this.#hash.update(chunk, from, to)
    if (end >= 0) this.#endLine()
    return to
  }

  #endLine(): void {
    const line = this.#line.text().replace(/\n$/, '')
    this.costs.steps += passesAtEnd * line.length + endSteps
    const isComplete = this.#lineLength <= maxLineBytes
    this.#line.clear()
    this.#lineLength = 0
    this.#readLine(line, isComplete)
    this.#keepLine()
  }

  /** `isComplete` is false if `line` is only the beginning of a longer line. */
  #readLine(line: string, isComplete: boolean): void {
    const [, dataPrefix, type] = header.exec(line) ?? []
    if (type !== undefined) {
      this.#begin(type, dataPrefix !== undefined)
      return
    }
    if (line === complete) this.#isComplete = true
    if (line === complete || noise.test(line) || this.#isFraming(line)) {
      this.#dropLine()
      return
    }
    this.#isComplete = false
    if (this.#isData && this.#type === 'TABLE DATA') {
      const [, table] = (isComplete && copy.exec(line)) || []
      if (table !== undefined) this.#openTable(table)
    } else if (this.#isData) {
      if (line === 'SELECT pg_catalog.lo_close(0);') this.#tables.of(largeObjects).add(this.#hash)
    } else if (isComplete) {
      if (this.#type === 'POLICY') this.#replaceLine(withSortedRoles(line))
      for (const role of rolesNamed(this.#type, line)) {
        if (!this.#roles.has(role)) this.#roles.add(this.costs.keepName(role))
      }
    }
  }

  /** Whether the line is a comment before the first object, or begins or ends the transaction around large objects. */
  #isFraming(line: string): boolean {
    return this.#type === 'SETTINGS' ? line.startsWith('--') : this.#isData && /^(?:BEGIN|COMMIT);$/.test(line)
  }

  /** Begins the rows of a table. Adds the table here, because a table without rows is counted too. */
  #openTable(table: string): void {
    this.#endObject()
    this.#tables.of(table)
    this.#table = table
    this.#last = 0
  }

  #begin(type: string, isData: boolean): void {
    this.#dropLine()
    this.#endObject()
    this.#type = type
    this.#isData = isData
    this.#isComplete = false
  }

  #endObject(): void {
    if (this.#hash.length > 0) this.#objects.of(this.#type).add(this.#hash)
  }

  #replaceLine(line: string): void {
    this.#dropLine()
    this.#hash.update(Buffer.from(`${line}\n`))
  }

  /** Keeps the current line in the hash of the object. */
  #keepLine(): void {
    const { a, b, length, pending } = this.#hash
    this.#hashBefore = { a, b, length, pending }
  }

  /** Removes the current line from the hash of the object. */
  #dropLine(): void {
    Object.assign(this.#hash, this.#hashBefore)
  }
}
