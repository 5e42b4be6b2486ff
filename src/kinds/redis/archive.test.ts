/** The reader of RDB files, on files of four servers with the same data, and on files made by hand. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  listpack,
  rdbAux,
  rdbFile,
  rdbHead,
  rdbEnd,
  rdbKey,
  rdbLength,
  rdbString,
} from '../../../test/fixtures/rdb-samples.ts'
import { type ArchiveContents, BrokenArchive } from '../backup.ts'
import { Crc64, jones } from '../../lib/crc64.ts'
import { redisReader } from './archive.ts'

const fileOf = (name: string) => readFileSync(new URL(`../../../test/fixtures/rdb/${name}.rdb`, import.meta.url))

function read(bytes: Buffer, size = bytes.length): ArchiveContents {
  const reader = redisReader()
  for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size))
  return reader.end()
}

const servers = ['redis-6.2.14', 'redis-7.0.15', 'redis-8.0.2', 'valkey-9.1.2'] as const

test('computes the checksum of Redis', () => {
  const crc = new Crc64(jones)
  crc.update(Buffer.from('123456789'), 0, 9)
  assert.equal(BigInt.asUintN(64, crc.value()), 0xe9c6d914c4b8d9can)
})

for (const name of servers) {
  test(`reads a file of ${name}, whatever its pieces`, () => {
    const bytes = fileOf(name)
    const contents = read(bytes)
    const [product, version] = name.split('-')
    assert.deepEqual(contents.server, { product: product === 'redis' ? 'Redis' : 'Valkey', version })
    assert.deepEqual(
      Object.entries(contents.tables).map(([table, { rows }]) => [table, rows]),
      [
        ['0 hash', Number(version!.split('.')[0]) >= 8 ? 4 : 2],
        ['0 list', 3],
        ['0 set', 5],
        ['0 stream', 1],
        ['0 string', 8],
        ['0 zset', 2],
        ['9 list', 1],
        ['9 string', 1],
      ],
    )
    for (const size of [1, 7, 1000]) assert.deepEqual(read(bytes, size), contents)
  })

  test(`refuses a file of ${name} that is cut or changed anywhere`, () => {
    const bytes = fileOf(name)
    for (let at = 0; at < bytes.length; at += 97) {
      assert.throws(() => read(bytes.subarray(0, at)), BrokenArchive, `cut at ${at}`)
      const changed = Buffer.from(bytes)
      changed[at]! ^= 0x10
      assert.throws(() => read(changed), BrokenArchive, `changed at ${at}`)
    }
    assert.throws(() => read(Buffer.concat([bytes, Buffer.of(0)])), /after an end mark/)
  })
}

test('gives equal data equal checksums, whichever server and encoding has it', () => {
  const [six, seven, eight, valkey] = servers.map((name) => read(fileOf(name)).tables)
  for (const table of ['0 list', '0 set', '0 string', '0 zset', '9 list', '9 string']) {
    for (const other of [seven, eight, valkey]) assert.deepEqual(other![table], six![table], table)
  }
  // Redis 6.2 keeps less about a stream. Fields that expire exist since Redis 8 and Valkey 9.
  assert.deepEqual(six!['0 hash'], seven!['0 hash'])
  assert.deepEqual(eight!['0 hash'], valkey!['0 hash'])
  assert.deepEqual([eight!['0 stream'], valkey!['0 stream']], [seven!['0 stream'], seven!['0 stream']])
})

const pair = (field: string, value: string) => Buffer.concat([rdbString(field), rdbString(value)])
const two = rdbLength(2)

/** Values that have to differ, and values that have to be equal, as files with one key. */
const comparisons: [name: string, isEqual: boolean, left: Buffer, right: Buffer][] = [
  [
    'the order in a set',
    true,
    rdbKey(2, 'k', two, rdbString('a'), rdbString('b')),
    rdbKey(2, 'k', two, rdbString('b'), rdbString('a')),
  ],
  [
    'the order in a hash',
    true,
    rdbKey(4, 'k', two, pair('a', '1'), pair('b', '2')),
    rdbKey(4, 'k', two, pair('b', '2'), pair('a', '1')),
  ],
  [
    'a packed hash',
    true,
    rdbKey(4, 'k', two, pair('a', '1'), pair('b', '2')),
    rdbKey(16, 'k', rdbString(listpack('b', 2, 'a', '1'))),
  ],
  [
    'exchanged values',
    false,
    rdbKey(4, 'k', two, pair('a', '1'), pair('b', '2')),
    rdbKey(4, 'k', two, pair('a', '2'), pair('b', '1')),
  ],
  [
    'the order in a list',
    false,
    rdbKey(18, 'k', rdbLength(1), two, rdbString(listpack('a', 'b'))),
    rdbKey(18, 'k', rdbLength(1), two, rdbString(listpack('b', 'a'))),
  ],
  ['a number as a string', true, rdbKey(0, 'k', rdbString('12')), rdbKey(0, 'k', Buffer.of(0xc0, 12))],
  [
    'where strings are cut',
    false,
    rdbKey(4, 'k', rdbLength(1), pair('a', 'bc')),
    rdbKey(4, 'k', rdbLength(1), pair('ab', 'c')),
  ],
  ['another key', false, rdbKey(0, 'k', rdbString('1')), rdbKey(0, 'l', rdbString('1'))],
  [
    'a time of expiry',
    false,
    rdbKey(0, 'k', rdbString('1')),
    Buffer.concat([Buffer.of(252), Buffer.alloc(8, 1), rdbKey(0, 'k', rdbString('1'))]),
  ],
  [
    'when a key was last used',
    true,
    rdbKey(0, 'k', rdbString('1')),
    Buffer.concat([Buffer.of(248, 7, 249, 3), rdbKey(0, 'k', rdbString('1'))]),
  ],
  [
    'a score',
    false,
    rdbKey(17, 'k', rdbString(listpack('m', '1.5'))),
    rdbKey(17, 'k', rdbString(listpack('m', '1.25'))),
  ],
]

for (const [name, isEqual, left, right] of comparisons) {
  test(`${isEqual ? 'passes over' : 'notices'} ${name}`, () => {
    const tablesOf = (key: Buffer) => JSON.stringify(read(rdbFile(key)).tables)
    assert.equal(tablesOf(left) === tablesOf(right), isEqual)
  })
}

test('prefers the version of Valkey to the version of Redis that Valkey names', () => {
  const file = rdbFile(rdbAux('valkey-ver', '8.1.0'), rdbAux('redis-ver', '7.2.4'), rdbAux('long', 'x'.repeat(9000)))
  assert.deepEqual(read(file).server, { product: 'Valkey', version: '8.1.0' })
})

test('refuses other files, and names what it cannot read', () => {
  for (const [bytes, message] of [
    [Buffer.from('not a snapshot of Redis'), /not a snapshot/],
    [Buffer.concat([rdbHead('REDIS0006'), rdbEnd]), /form 0006/],
    [rdbFile(rdbKey(26, 'k')), /of Redis has a value of type 26/],
    [Buffer.concat([rdbHead('VALKEY080'), rdbKey(24, 'k'), rdbEnd]), /of Valkey has a value of type 24/],
    [rdbFile(Buffer.of(246)), /part of type 246/],
  ] as const) {
    assert.throws(() => read(bytes), message)
  }
})
