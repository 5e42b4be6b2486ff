/**
 * Archives that were made to stop Berth. Each is so large that work that grows faster than the archive never ends. The
 * steps are counted, so the result does not depend on the machine.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxRdbSteps, mongoDescription, mongoMagic } from '../../test/fixtures/archive-samples.ts'
import { rdbAux, rdbFile, rdbHead, rdbKey, rdbLength, rdbString } from '../../test/fixtures/rdb-samples.ts'
import { readOutcome } from '../../test/fixtures/archive-outcome.ts'
import type { ArchiveReader } from './backup.ts'
import { mongoReader } from './mongo/archive.ts'
import { completeMark, mysqlReader } from './mysql/archive.ts'
import { postgresReader } from './postgres/archive.ts'
import { redisReader } from './redis/archive.ts'

type Hostile = [name: string, archive: () => string | Buffer, result: 'contents' | RegExp]

const large = 1024 * 1024
const sql = (body: string) => `${body}\n${completeMark}\n`
const end = '-- PostgreSQL database dump complete\n'
const object = (type: string, body: string) => `-- Name: x; Type: ${type}; Schema: s; Owner: o\n${body}\n`
const line = 60_000
const truncated = /truncated/

const mysql: Hostile[] = [
  ['parentheses before rows', () => sql(`INSERT INTO \`t\` ${'('.repeat(large)};`), 'contents'],
  ['lists of columns', () => sql(`INSERT INTO \`t\` ${' (a)'.repeat(large / 4)};`), 'contents'],
  ['parentheses in a row', () => `INSERT INTO \`t\` VALUES ${'('.repeat(large)}`, /within the rows/],
  ['spaces in INSERT', () => sql(`INSERT${' '.repeat(large)}INTO \`t\` VALUES (1);`), 'contents'],
  ['a string without an end', () => `SELECT '${'\\'.repeat(large + 1)}`, /within a statement/],
  ['a name without an end', () => `CREATE TABLE \`${'``'.repeat(large)}`, /within a statement/],
  ['a name of many quotation marks', () => sql(`CREATE TABLE \`${'``'.repeat(large)}\` (a int);`), 'contents'],
  ['a long name of an engine', () => sql(`CREATE TABLE \`t\` (\n) ENGINE=${'x'.repeat(large)};`), 'contents'],
  [
    'lines that look like the end of a table',
    () => sql(`SELECT 1${'\n) ENGINE=x AUTO_INCREMENT='.repeat(large / 27)};`),
    'contents',
  ],
  [
    'next values without a number',
    () => sql(`SELECT 1\n) ENGINE=x${' AUTO_INCREMENT='.repeat(large / 16)};`),
    'contents',
  ],
  ['CREATE without a type', () => sql(`${'CREATE '.repeat(2300)};\n`.repeat(64)), 'contents'],
  ['PACKAGE with spaces', () => sql(`CREATE ${'PACKAGE '.repeat(2000)}${' '.repeat(16_000)};`.repeat(16)), 'contents'],
  ['empty statements', () => sql(';'.repeat(large / 4)), 'contents'],
  ['empty lines in a statement', () => sql(`SELECT${'\n'.repeat(4 * large)};`), 'contents'],
  ['a routine without an end', () => `DELIMITER ;;\n${'x\n'.repeat(large)}`, /within a statement/],
  ['a comment without an end', () => `-- ${'x'.repeat(large)}`, /within a statement/],
  ['tables with long names', () => tables(64, 500_000), /names too many tables/],
  ['many tables', () => tables(250_000, 1), /names too many tables/],
]

const tables = (count: number, length: number) =>
  sql(Array.from({ length: count }, (_, i) => `CREATE TABLE \`${i}${'x'.repeat(length)}\` (a);`).join('\n'))

const postgres: Hostile[] = [
  ['a line without an end', () => 'x'.repeat(4 * large), truncated],
  ['empty lines', () => '\n'.repeat(large) + end, 'contents'],
  ['headers without an end', () => `-- Name: ${'; Type: A'.repeat(line / 9)}\n`.repeat(8) + end, 'contents'],
  [
    'quotation marks in COPY',
    () => object('TABLE DATA', `COPY ${'"".'.repeat(line / 3)}\n`.repeat(8)) + end,
    'contents',
  ],
  [
    'owners without an end',
    () => object('TABLE', `ALTER ${' OWNER TO """'.repeat(line / 13)};\n`.repeat(8)) + end,
    'contents',
  ],
  [
    'an owner of quotation marks',
    () => object('TABLE', `ALTER x OWNER TO ${'"'.repeat(line)};\n`.repeat(8)) + end,
    'contents',
  ],
  [
    'policies of lists',
    () => object('POLICY', `CREATE POLICY${' TO "a", "b", "'.repeat(line / 14)};\n`.repeat(8)) + end,
    'contents',
  ],
  [
    'a policy of many roles',
    () => object('POLICY', `CREATE POLICY p TO a${', a'.repeat(line / 3)};\n`.repeat(8)) + end,
    'contents',
  ],
  [
    'grants without an end',
    () => object('ACL', `GRANT ${' TO "" FROM '.repeat(line / 12)};\n`.repeat(8)) + end,
    'contents',
  ],
  ['types of objects', () => types(900) + end, /names too many tables/],
  ['roles', () => object('ACL', roles(200_000)) + end, /names too many tables/],
  [
    'rows without an end',
    () => `-- Data for ${object('TABLE DATA', 'COPY t FROM stdin;').slice(3)}${'\\.x'.repeat(large)}`,
    /within the rows/,
  ],
]

const letters = (i: number) => i.toString().replace(/./g, (digit) => String.fromCharCode(65 + Number(digit)))
const types = (count: number) =>
  Array.from({ length: count }, (_, i) => object(letters(i) + 'A'.repeat(line), 'x')).join('')
const roles = (count: number) => Array.from({ length: count }, (_, i) => `GRANT ALL ON x TO r${i};`).join('\n')

const emptyDocument = Buffer.from([5, 0, 0, 0, 0])
const terminator = Buffer.alloc(4, 255)
const mongo = (...parts: Buffer[]) => Buffer.concat([mongoMagic, emptyDocument, ...parts])
const described = (metadata: string) => mongo(mongoDescription('c', metadata), terminator)

function sized(size: number, fill = 0): Buffer {
  const document = Buffer.alloc(size, fill)
  document.writeInt32LE(size)
  document[size - 1] = 0
  return document
}

const fields = (count: number) => {
  const document = sized(2 * count + 5)
  for (let at = 4; at < document.length - 1; at += 2) document[at] = 0x0a
  return document
}

const mongoArchives: Hostile[] = [
  ['a header of empty fields', () => mongo(fields(large)), /header without a name/],
  ['a header that announces too much', () => mongo(sized(5 * large)), /at most/],
  ['a name of a field without an end', () => mongo(sized(large, 0x0a)), /invalid header/],
  [
    'documents of five bytes',
    () => Buffer.concat([mongoMagic, ...Array.from({ length: 1000 }, () => emptyDocument)]),
    /without a name/,
  ],
  ['a deep description', () => described(`{"x":${'['.repeat(large)}${']'.repeat(large)}}`), /too large/],
  ['a description of many values', () => described(`[${'[],'.repeat(large)}1]`), /too large/],
  [
    'a description of an escaped string',
    () => described(`{"x":"${'\\"'.repeat(large)}"}`),
    /truncated in the collection/,
  ],
  ...['null', '{"indexes":1}', '{"indexes":[null]}', '{"indexes":[{}]}', '{"indexes":[{"key":null}]}', '[', ''].map(
    (it): Hostile => [`the description ${it}`, () => described(it), /invalid description/],
  ),
  [
    'many collections',
    () => mongo(...Array.from({ length: 120_000 }, (_, i) => mongoDescription(`c${i}`, '{}'))),
    /names too many tables/,
  ],
]

const huge = Buffer.concat([Buffer.of(0x81), Buffer.alloc(8, 127)])
const packedHash = (blob: Buffer) => rdbFile(rdbKey(16, 'k', rdbString(blob)))
/** A compressed string of `\0`, which is 88 times as long as the archive. */
const expanding = (prefix: Buffer, runs: number) => {
  const packed = Buffer.concat([
    Buffer.of(prefix.length - 1),
    prefix,
    ...Array.from({ length: runs }, () => Buffer.of(0xe0, 255, 0)),
  ])
  return Buffer.concat([Buffer.of(0xc3), rdbLength(packed.length), rdbLength(prefix.length + 264 * runs), packed])
}

const redis: Hostile[] = [
  ['a string without an end', () => Buffer.concat([rdbHead(), rdbKey(0, 'k', huge), Buffer.alloc(large)]), truncated],
  ['more members than bytes', () => Buffer.concat([rdbHead(), rdbKey(2, 'k', huge), Buffer.alloc(large)]), truncated],
  ['empty members', () => rdbFile(rdbKey(2, 'k', rdbLength(large), Buffer.alloc(large))), 'contents'],
  ['a list of empty nodes', () => rdbFile(rdbKey(14, 'k', rdbLength(large), Buffer.alloc(large))), /incomplete value/],
  ['numbers in a listpack', () => packedHash(numbers(large)), 'contents'],
  ['a listpack without an end', () => packedHash(Buffer.alloc(large)), /incomplete value/],
  [
    'a compressed listpack of numbers',
    () => rdbFile(rdbKey(20, 'k', expanding(Buffer.concat([Buffer.alloc(6), Buffer.of(0, 0)]), 12_000))),
    /incomplete value/,
  ],
  ['a compressed string', () => rdbFile(rdbKey(0, 'k', expanding(Buffer.of(0), 100_000))), 'contents'],
  [
    'an item that is longer than its listpack',
    () => packedHash(Buffer.of(0, 0, 0, 0, 0, 0, 0xf0, 255, 255, 255, 255)),
    /incomplete value/,
  ],
  ['a reference before a compressed string', () => rdbFile(rdbKey(0, 'k', Buffer.of(0xc3, 2, 3, 0x20, 9))), /damaged/],
  ['remarks', () => rdbFile(...Array.from({ length: large / 32 }, () => rdbAux('x'.repeat(20), ''))), 'contents'],
  ['many databases', () => rdbFile(databases(200_000)), /names too many tables/],
]

const databases = (count: number) =>
  Buffer.concat(
    Array.from({ length: count }, (_, i) =>
      Buffer.concat([Buffer.of(254), rdbLength(i), rdbKey(0, 'k', rdbString(''))]),
    ),
  )
/** A listpack of this number of small numbers, of which the header says nothing. */
const numbers = (count: number) => Buffer.concat([Buffer.alloc(6), Buffer.alloc(2 * count, 1), Buffer.of(255)])

for (const [product, reader, archives, maxSteps] of [
  ['MySQL', mysqlReader, mysql],
  ['PostgreSQL', postgresReader, postgres],
  ['MongoDB', mongoReader, mongoArchives],
  ['Redis', redisReader, redis, maxRdbSteps],
] satisfies [string, () => ArchiveReader, Hostile[], number?][]) {
  for (const [name, archive, result] of archives) {
    test(`reads a hostile archive of ${product} in few steps: ${name}`, () => {
      const bytes = archive()
      const whole = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
      const outcome = readOutcome(reader(), whole, undefined, '', maxSteps)
      if (result === 'contents') assert.ok('contents' in outcome, JSON.stringify(outcome).slice(0, 300))
      else assert.match('broken' in outcome ? outcome.broken : 'contents', result)
    })
  }
}

test('keeps pieces of one byte in one buffer', () => {
  const reader = mysqlReader()
  for (const byte of Buffer.from(`SELECT '${'x'.repeat(300_000)}`)) reader.write(Buffer.of(byte))
  assert.ok(reader.costs.keptBytes >= 300_000)
  assert.ok(reader.costs.keptBytes <= 600_016)
})
