/** The backup format of the state. A backup opens completely with its key, or is refused. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { openState, sealState, type StateHeader } from './file.ts'

const key = Buffer.alloc(32, 7)
const store = Buffer.concat([Buffer.from('a text that compresses '.repeat(20)), Buffer.alloc(50, 3)])

function headerOf(bytes: Buffer, more: Partial<StateHeader> = {}): StateHeader {
  return {
    berthState: 1,
    keyId: '0a0b0c0d',
    installationId: 'installation',
    storeVersion: '0001-first',
    madeAt: '2030-01-01T00:00:00.000Z',
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    ...more,
  }
}

async function* pieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const contentsOf = async (source: AsyncIterable<Buffer>) =>
  Buffer.concat(await Array.fromAsync(source, (piece) => Buffer.from(piece)))
const sealed = (bytes: Buffer, header = headerOf(bytes), masterKey = key) =>
  contentsOf(sealState(header, masterKey, pieces(bytes, 100)))

async function opened(bytes: Buffer, masterKey = key, size = 37) {
  const { header, store } = await openState(pieces(bytes, size))
  return { header, bytes: await contentsOf(store(masterKey)) }
}

for (const [length, size] of [
  [0, 1],
  [1, 1],
  [700_000, 10_000],
] as const) {
  test(`seals and opens a store of ${length} bytes, read in pieces of ${size} bytes`, async () => {
    const bytes = randomBytes(length)
    const state = await opened(await sealed(bytes), key, size)
    assert.ok(state.bytes.equals(bytes))
    assert.deepEqual(state.header, headerOf(bytes))
  })
}

test('a backup contains nothing of the store or of the key in plain text', async () => {
  const bytes = await sealed(store)
  assert.ok(!bytes.includes('compresses') && !bytes.includes(key) && !bytes.includes(key.toString('base64')))
})

const refused = { name: 'Error', message: /is damaged or incomplete|is not a backup of Berth's state/ }

test('refuses a backup that is truncated at any byte or has an additional byte', async () => {
  const bytes = await sealed(store)
  for (let length = 0; length < bytes.length; length++) {
    await assert.rejects(opened(bytes.subarray(0, length)), refused, `cut at ${length} of ${bytes.length}`)
  }
  await assert.rejects(opened(Buffer.concat([bytes, Buffer.from('x')])), refused)
})

test('refuses a backup with any byte changed', async () => {
  const bytes = await sealed(store)
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    // The changed byte can be the number of the format. A higher number means a newer format.
    const message = /damaged or incomplete|is not a backup|by a newer Berth/
    await assert.rejects(opened(changed), { message }, `byte ${at}`)
  }
})

test('refuses a key that did not seal the backup, and a store that differs from its header', async () => {
  await assert.rejects(opened(await sealed(store), Buffer.alloc(32, 8)), refused)
  for (const more of [{ sizeBytes: store.length + 1 }, { sha256: '0'.repeat(64) }]) {
    await assert.rejects(opened(await sealed(store, headerOf(store, more))), refused)
  }
})

test('refuses a backup that is combined from two backups', async () => {
  const [one, other] = [await sealed(store), await sealed(store, headerOf(store, { installationId: 'another' }))]
  const end = (bytes: Buffer) => bytes.indexOf('\n') + 1
  await assert.rejects(opened(Buffer.concat([one.subarray(0, end(one)), other.subarray(end(other))])), refused)
})

test('refuses files that are not backups, and reports a backup of a newer Berth as such', async () => {
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from('null\n'),
    Buffer.from('{}\n'),
    Buffer.from('{"berthState":0}\n'),
    Buffer.from('"text"\n'),
    randomBytes(100_000),
    Buffer.alloc(100_000, 32),
  ]) {
    await assert.rejects(openState(pieces(bytes, 1000)), /is not a backup of Berth's state/)
  }
  await assert.rejects(openState(pieces(Buffer.from('{"berthState":2,"more":1}\n'), 5)), /created by a newer Berth/)
})
