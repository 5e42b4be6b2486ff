/** The reader of mongodump's archives, and its checksum. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BSON } from 'mongodb'
import { type ArchiveContents, BrokenArchive } from '../backup.ts'
import { Crc64 } from '../../lib/crc64.ts'
import { mongoReader } from './archive.ts'

type Part = Buffer | Part[]
const flat = (part: Part): Buffer => (Array.isArray(part) ? Buffer.concat(part.map(flat)) : part)

const bson = (it: object) => Buffer.from(BSON.serialize(it))
const end = Buffer.alloc(4, 255)
const magic = Buffer.from([0x6d, 0xe2, 0x99, 0x81])

function checksum(documents: Buffer[]): BSON.Long {
  const crc = new Crc64()
  for (const it of documents) crc.update(it, 0, it.length)
  return BSON.Long.fromBigInt(crc.value())
}

const descriptionOf = (collection: string, metadata: object = { options: {}, indexes: [], uuid: 'x' }) =>
  bson({ db: 'shop', collection, metadata: JSON.stringify(metadata), size: 0 })
const rawDescription = (collection: string, metadata = '') => bson({ db: 'shop', collection, metadata, size: 0 })
const block = (collection: string, documents: Buffer[]): Part => [
  bson({ db: 'shop', collection, EOF: false, CRC: BSON.Long.ZERO }),
  ...documents,
  end,
]
const endOf = (collection: string, documents: Buffer[] = []): Part => [
  bson({ db: 'shop', collection, EOF: true, CRC: checksum(documents) }),
  end,
]

const documents = [1, 2, 2, 3].map((a) => bson({ _id: a, text: 'é😀'.repeat(a), raw: Buffer.alloc(4, 255) }))
const [one, two, three, four] = documents as [Buffer, Buffer, Buffer, Buffer]
const user = (id: number) =>
  bson({ _id: 'shop.u', userId: new BSON.Binary(Buffer.alloc(16, id), 4), user: 'u', roles: [] })
const index = { v: 2, key: { b: 1, a: 1 }, name: 'i', unique: true }
const users = '$admin.system.users'

const archive = (id = 1, order = [one, two, three, four], extraIndex: object = index) =>
  flat([
    magic,
    bson({ concurrent_collections: 4, version: '0.1', flag: true }),
    descriptionOf('view', { options: { viewOn: 'a', pipeline: [] }, indexes: [] }),
    descriptionOf('a', {
      options: {},
      uuid: String(id),
      indexes: [{ v: 2, key: { _id: 1 }, name: '_id_' }, extraIndex],
    }),
    descriptionOf('empty'),
    rawDescription(users),
    end,
    block(users, [user(id)]),
    endOf(users, [user(id)]),
    block('a', order.slice(0, 2)),
    block('view', []),
    endOf('empty'),
    block('a', order.slice(2)),
    endOf('view'),
    endOf('a', order),
  ])

function read(bytes: Buffer, size = bytes.length): ArchiveContents {
  const reader = mongoReader()
  for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size))
  return reader.end()
}

test('computes the check value of CRC-64', () => {
  const crc = new Crc64()
  crc.update(Buffer.from('x123456789'), 1, 10)
  assert.equal(BigInt.asUintN(64, crc.value()), 0x995dc9bbdf1939fan)
})

test('counts documents by collection and all other objects by type', () => {
  const { tables, objects, database } = read(archive())
  const counts = (all: ArchiveContents['tables']) => Object.entries(all).map(([name, { rows }]) => [name, rows])
  assert.deepEqual(
    [counts(tables), counts(objects), database],
    [
      [
        ['a', 4],
        ['empty', 0],
      ],
      [
        ['COLLECTION', 2],
        ['USER', 1],
        ['VIEW', 1],
      ],
      'shop',
    ],
  )
})

test('returns the same result for all chunk sizes', () => {
  const expected = read(archive())
  for (const size of [1, 2, 3, 5, 7, 16, 61]) assert.deepEqual(read(archive(), size), expected)
})

test('refuses an archive that is truncated at any byte, has a changed document or continues after its end', () => {
  const bytes = archive()
  for (let cut = 0; cut < bytes.length; cut++) {
    assert.throws(() => read(bytes.subarray(0, cut)), BrokenArchive, `the first ${cut} bytes`)
  }
  const changed = Buffer.from(bytes)
  changed[changed.indexOf('é😀é') + 1]! ^= 1
  assert.throws(() => read(changed), /checksum/)
  assert.throws(() => read(Buffer.concat([bytes, bytes])), BrokenArchive)
  assert.throws(
    () => read(flat([magic, bson({}), end, block('a', []), endOf('a'), block('a', [one])])),
    /continues after/,
  )
})

test('checksums ignore the ids of collections and users, and the order of documents and index options', () => {
  const expected = read(archive())
  const same = { unique: true, name: 'i', key: { b: 1, a: 1 }, v: 2 }
  assert.deepEqual(read(archive(2, [three, four, two, one], same)), expected)
  assert.notDeepEqual(read(archive(1, [one, one, three, four])), expected)
  assert.notDeepEqual(read(archive(1, documents, { ...index, key: { a: 1, b: 1 } })), expected)
})

test('refuses invalid headers', () => {
  for (const bytes of [
    Buffer.from('PGDMP...'),
    flat([magic, end]),
    flat([magic, Buffer.from([4, 0, 0, 0])]),
    flat([magic, bson({}), bson({ db: 'a' })]),
    flat([magic, bson({}), rawDescription('a', '{')]),
    flat([magic, Buffer.from([9, 0, 0, 0, 0x7e, 0x61, 0, 0, 0])]),
  ]) {
    assert.throws(() => read(bytes), BrokenArchive)
  }
})
