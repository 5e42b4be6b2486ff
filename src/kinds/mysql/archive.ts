/**
 * Reads the SQL of mysqldump and mariadb-dump byte by byte. Rows of INSERT are counted by table. Every other statement
 * is counted by the type of its object. The order of rows and statements does not matter. The text between DELIMITER
 * lines (a routine, trigger or event) is one statement. Comments of the dump program have the findings.
 */
import { RowHash, type RowSum, Sums } from '../archive-sums.ts'
import { type ArchiveContents, type ArchiveReader, BrokenArchive, short } from '../backup.ts'
import type { DumpFinding } from '../dump-finding.ts'
import { KeptBytes, ReadingCosts } from '../reading-costs.ts'
import { BoundObjects } from './bound-objects.ts'
import { type Remark, remarkIn } from './remarks.ts'
import { createdTable, insertedTable, objectTypeOf, plainOf } from './statements.ts'

/** The last statement of an archive. Its output shows that the server executed all earlier statements. */
export const completeMark = "SELECT 'Berth: complete';"

/**
 * How many bytes of a statement are kept as text. The text is needed to find the type of the object, and to remove
 * parts that differ between equal databases.
 */
const maxTextBytes = 4 * 1024 * 1024
/** How many bytes of a comment are kept. */
const maxCommentBytes = 16 * 1024

const [newline, single, double, tick, backslash] = [10, 39, 34, 96, 92] as const
const [open, shut, semicolon, dash, sharp, letterI] = [40, 41, 59, 45, 35, 73] as const

/** The first row of an INSERT is at its first parenthesis or, after a list of columns, at its second one. */
const maxInsertParts = 2
/** How often a statement's text is passed over at its end. */
const passesAtEnd = 4
/** What the end of a statement costs besides its text. */
const endSteps = 32

const openByte = Buffer.from('(')
const delimiter = Buffer.from('DELIMITER ')
const sandbox = /^\/\*M!999999\\- .*\*\/\s*$/

type State = 'start' | 'comment' | 'statement' | 'section' | 'rows' | 'row'

export function mysqlReader(): ArchiveReader {
  return new Reader()
}

class Reader implements ArchiveReader {
  readonly costs = new ReadingCosts()
  #tables = new Sums(this.costs)
  #objects = new Sums(this.costs)
  #bound = new BoundObjects(this.costs)
  #findings: DumpFinding[] = []
  #remark = new KeptBytes(this.costs, maxCommentBytes)
  #state: State = 'start'
  /** The character that ends the open string or name. 0 outside of strings and names. */
  #closing = 0
  #isEscaped = false
  #text = new KeptBytes(this.costs, maxTextBytes)
  /** The length of the statement so far, with the part that is not kept. */
  #textLength = 0
  #lines = 0
  /** Within INSERT, the hash of the row. Otherwise the hash of the part of a statement that is not kept as text. */
  #hash = new RowHash()
  /** How many more parentheses of this statement can begin the rows of an INSERT. */
  #insertParts = 0
  #sum: RowSum | null = null
  #table = ''
  #depth = 0
  /** The beginning of the current line between DELIMITER lines, as far as needed to recognize `DELIMITER ;`. */
  #line = ''
  #isComplete = false
  #last = 0

  write(chunk: Buffer): void {
    this.#last = chunk.at(-1) ?? this.#last
    for (let at = 0; at < chunk.length; ) {
      const next = this.#step(chunk, at)
      this.costs.steps += next - at + 1
      at = next
    }
  }

  end(): ArchiveContents {
    if (this.#sum !== null) throw new BrokenArchive(`The archive ends within the rows of ${short(this.#table)}`)
    if (this.#state !== 'start') throw new BrokenArchive('The archive ends within a statement')
    if (!this.#isComplete || this.#last !== newline) {
      throw new BrokenArchive('The archive is truncated: its end mark is missing')
    }
    const boundBy = this.#bound.objects()
    return {
      tables: this.#tables.counted(),
      objects: this.#objects.counted(),
      roles: null,
      database: boundBy === null || boundBy.length === 0 ? null : this.#bound.database,
      ...(boundBy === null ? {} : { boundBy }),
      ...(this.#findings.length === 0 ? {} : { findings: this.#findings }),
    }
  }

  #step(chunk: Buffer, at: number): number {
    switch (this.#state) {
      case 'start':
        return this.#start(chunk, at)
      case 'comment':
        return this.#comment(chunk, at)
      case 'statement':
        return this.#statement(chunk, at)
      case 'section':
        return this.#section(chunk, at)
      case 'rows':
        return this.#rows(chunk, at)
      case 'row':
        return this.#row(chunk, at)
    }
  }

  #start(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (byte <= 32) continue
      this.#state = byte === dash || byte === sharp ? 'comment' : 'statement'
      this.#insertParts = byte === letterI ? maxInsertParts : 0
      return at
    }
    return chunk.length
  }

  #comment(chunk: Buffer, from: number): number {
    const end = chunk.indexOf(newline, from)
    this.#remark.add(chunk, from, end < 0 ? chunk.length : end)
    if (end < 0) return chunk.length
    const remark = remarkIn(this.#remark.text())
    this.#remark.clear()
    if (remark !== null) this.#addRemark(remark)
    this.#state = 'start'
    return end + 1
  }

  #addRemark(remark: Remark): void {
    if ('database' in remark) {
      this.#bound.open(this.costs.keepName(remark.database))
      return
    }
    for (const value of Object.values(remark.finding)) this.costs.keepName(value)
    this.#findings.push(remark.finding)
  }

  #statement(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; ) {
      if (this.#closing !== 0) {
        at = this.#string(chunk, at)
        continue
      }
      const byte = chunk[at++]!
      if (byte === single || byte === double || byte === tick) this.#closing = byte
      else if (byte === semicolon || byte === newline || (byte === open && this.#insertParts > 0)) {
        this.#keep(chunk, from, byte === open ? at - 1 : at)
        this.#endPart(byte)
        return at
      }
    }
    this.#keep(chunk, from, chunk.length)
    return chunk.length
  }

  /** Returns the position after the end of the string, or the end of the chunk. */
  #string(chunk: Buffer, from: number): number {
    const [closing, to] = [this.#closing, chunk.length]
    const escaping = closing === tick ? tick : backslash
    let at = from
    if (this.#isEscaped) {
      this.#isEscaped = false
      at++
    }
    while (at < to) {
      const byte = chunk[at++]!
      if (byte !== closing && byte !== escaping) continue
      if (byte === closing) {
        this.#closing = 0
        return at
      }
      if (at === to) this.#isEscaped = true
      at++
    }
    return to
  }

  #endPart(byte: number): void {
    if (byte === semicolon && !this.#isDelimiter()) {
      this.#endStatement()
    } else if (byte === open) {
      this.#insertParts--
      this.costs.steps += this.#text.length
      const table = insertedTable(this.#text.text())
      if (table !== null) this.#insert(table)
      else this.#keep(openByte, 0, 1)
    } else if (this.#isDelimiter()) {
      if (byte === newline) this.#state = 'section'
    } else if (this.#lines++ === 0 && this.#textLength < 200 && sandbox.test(this.#text.text())) {
      this.#reset()
    }
  }

  #isDelimiter(): boolean {
    return this.#textLength < 32 && delimiter.equals(this.#text.bytes().subarray(0, delimiter.length))
  }

  #insert(table: string): void {
    this.#reset()
    this.#table = table
    this.#sum = this.#tables.of(table)
    this.#beginRow()
  }

  #beginRow(): void {
    this.#state = 'row'
    this.#depth = 1
  }

  #rows(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (byte === open) this.#beginRow()
      else if (byte === semicolon) {
        this.#sum = null
        this.#isComplete = false
        this.#state = 'start'
      } else continue
      return at + 1
    }
    return chunk.length
  }

  /** Reads a row. Most bytes of an archive are in rows, so this method does few comparisons per byte. */
  #row(chunk: Buffer, from: number): number {
    const to = chunk.length
    let at = this.#closing === 0 ? from : this.#string(chunk, from)
    while (at < to) {
      const byte = chunk[at++]!
      if (byte > shut && byte !== tick) continue
      if (byte === single || byte === double || byte === tick) {
        this.#closing = byte
        at = this.#string(chunk, at)
      } else if (byte === open) this.#depth++
      else if (byte === shut && --this.#depth === 0) {
        this.#hash.update(chunk, from, at)
        this.#sum!.add(this.#hash)
        this.#state = 'rows'
        return at
      }
    }
    this.#hash.update(chunk, from, to)
    return to
  }

  #section(chunk: Buffer, from: number): number {
    const end = chunk.indexOf(newline, from)
    const to = end < 0 ? chunk.length : end + 1
    this.#keep(chunk, from, to)
    const room = 32 - this.#line.length
    if (room > 0) this.#line += chunk.toString('latin1', from, Math.min(to, from + room))
    if (end < 0) return to
    const isEnd = /^DELIMITER ;\s*$/.test(this.#line)
    this.#line = ''
    if (isEnd) this.#endStatement()
    return to
  }

  #endStatement(): void {
    const text = this.#text.text()
    this.costs.steps += passesAtEnd * text.length + endSteps
    if (this.#textLength <= maxTextBytes) {
      const table = createdTable(text)
      if (table !== null) this.#tables.of(table)
      this.#hash.update(Buffer.from(plainOf(text)))
    } else {
      this.#hash.update(this.#text.bytes())
    }
    this.#isComplete = text === completeMark
    const type = objectTypeOf(text)
    this.#objects.of(type).add(this.#hash)
    this.#bound.add(type, text, this.#textLength <= maxTextBytes)
    this.#reset()
  }

  /** Keeps bytes as text up to `maxTextBytes`, and adds the rest to the hash. */
  #keep(chunk: Buffer, from: number, to: number): void {
    const cut = this.#text.add(chunk, from, to)
    if (to > cut) this.#hash.update(chunk, cut, to)
    this.#textLength += to - from
  }

  #reset(): void {
    this.#text.clear()
    this.#textLength = 0
    this.#lines = 0
    this.#state = 'start'
  }
}
