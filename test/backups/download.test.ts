/** The operations that give a dump out: as a file, which a client can tell from a part of it, and by a pre-signed URL. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { BerthError, createClient } from '../../client/client.ts'
import type { BackupRunTable } from '../../src/backups/table.ts'
import { ensureIdentity } from '../../src/backups/identity.ts'
import { dumpedKinds } from '../../src/backups/fields.ts'
import { single } from '../../src/dumps/streams.ts'
import { encryptFor, newIdentity } from '../../src/lib/crypto/encryption.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'
import { insertDump } from './backups.ts'
import { type MemoryBucket, memoryBucket } from './memory-bucket.ts'

/** More than the buffers of all connections together, so that an answer has begun before the object was read. */
const content = randomBytes(24 * 1024 ** 2)
const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

let bucket: MemoryBucket
let testBerth: TestBerth
let client: ReturnType<typeof createClient>
let columns: Pick<BackupRunTable, 'backupId' | 'databaseId' | 'destinationId'>

before(async () => {
  bucket = await memoryBucket()
  testBerth = await startTestBerth()
  const clients = databaseClientsOf(testBerth, dumpedKinds.find(({ name }) => name === 'postgres')!)
  const databaseId = clients.idOf(await clients.create())
  const { destinationId } = await testBerth.ok<{ destinationId: string }>('destination.create', {
    name: 'bucket',
    ...bucket.settings,
  })
  columns = { backupId: null, databaseId, destinationId }
  client = createClient({ url: await testBerth.listen(), token: testBerth.admin, retries: 0 })
})
after(async () => {
  await testBerth.close()
  await bucket[Symbol.asyncDispose]()
})

/** Stores an object and inserts the run of its dump. @returns the id of the run */
async function storeDump(object: Buffer, more: Partial<BackupRunTable> = {}): Promise<string> {
  const key = `nightly/shop/shop/${testBerth.app.newId()}.dump.zst${more.recipient == null ? '' : '.age'}`
  bucket.objects.set(key, object)
  const finishedAt = '2026-11-22T03:00:01.000Z'
  const run = { status: 'done', finishedAt, key, sizeBytes: object.length, sha256: sha256Of(object), ...more } as const
  return insertDump(testBerth, { ...columns, ...run })
}

/** Replaces the object of a run in the bucket. */
async function replaceObject(runId: string, object: Buffer | null): Promise<void> {
  const { key } = await testBerth.app.db
    .selectFrom('backupRun')
    .select('key')
    .where('id', '=', runId)
    .executeTakeFirstOrThrow()
  if (object === null) bucket.objects.delete(key!)
  else bucket.objects.set(key!, object)
}

async function read(runId: string, form: 'stored' | 'decrypted' = 'stored') {
  const { bytes, ...file } = await client.backup.download({ runId, form })
  return { ...file, content: Buffer.concat(await Array.fromAsync(bytes)) }
}

test('answers the object with its size and checksum, and records the read', async () => {
  const runId = await storeDump(content)
  const { name, sizeBytes, sha256, content: received } = await read(runId)
  assert.match(name, /^[0-9a-f-]{36}\.dump\.zst$/)
  assert.deepEqual([sizeBytes, sha256], [content.length, sha256Of(content)])
  assert.ok(received.equals(content))
  const entries = await testBerth.ok<{ operation: string; record: string }[]>('audit.all', { order: 'desc' })
  assert.ok(entries.some(({ operation, record }) => operation === 'backup.download' && record === runId))
})

test('breaks the connection before the end if the object was damaged', async () => {
  const runId = await storeDump(content)
  const damaged = Buffer.from(content)
  damaged[1000]! ^= 1
  await replaceObject(runId, damaged)
  const { bytes } = await client.backup.download({ runId })
  let received = 0
  const reading = (async () => {
    for await (const piece of bytes) received += piece.length
  })()
  await assert.rejects(reading, (error) => error instanceof BerthError && error.code === 'CONNECTION_LOST')
  assert.ok(received < content.length, `${received} bytes`)
})

test('refuses a small damaged object, one of another size, and one that is gone', async () => {
  const runId = await storeDump(Buffer.from('a small dump'))
  await replaceObject(runId, Buffer.from('another dump'))
  await testBerth.refused('BAD_GATEWAY', 'backup.download', { runId })
  await replaceObject(runId, Buffer.from('cut'))
  await testBerth.refused('PRECONDITION_FAILED', 'backup.download', { runId })
  await replaceObject(runId, null)
  await testBerth.refused('PRECONDITION_FAILED', 'backup.download', { runId })
})

test('refuses runs without a good dump', async () => {
  await testBerth.refused('NOT_FOUND', 'backup.download', { runId: 'x' })
  for (const more of [{ status: 'error' }, { key: null }, { action: 'verify' }] as const) {
    const runId = await storeDump(Buffer.from('a dump'), more)
    await testBerth.refused('PRECONDITION_FAILED', 'backup.download', { runId })
  }
})

test('decrypts a dump only with the identity of the installation', async () => {
  const [own, foreign] = [await newIdentity(), await newIdentity()]
  await testBerth.app.transact((tx) => ensureIdentity(tx, testBerth.app.vault, own, testBerth.now()))
  const encryptedFor = async (recipient: string) =>
    Buffer.concat(await Array.fromAsync(encryptFor(recipient, single(content))))
  const object = await encryptedFor(own.recipient)
  const runId = await storeDump(object, { recipient: own.recipient })
  const decrypted = await read(runId, 'decrypted')
  assert.deepEqual([decrypted.sizeBytes, decrypted.sha256], [null, null])
  assert.match(decrypted.name, /\.dump\.zst$/)
  assert.ok(decrypted.content.equals(content))
  assert.ok((await read(runId)).content.equals(object))
  object[object.length - 1]! ^= 1
  await assert.rejects(read(runId, 'decrypted'), (error) => error instanceof BerthError)
  const foreignRun = await storeDump(await encryptedFor(foreign.recipient), { recipient: foreign.recipient })
  await testBerth.refused('PRECONDITION_FAILED', 'backup.download', { runId: foreignRun, form: 'decrypted' })
  const plain = await storeDump(content)
  assert.ok(
    (await read(plain, 'decrypted')).content.equals(content),
    'a dump that is not encrypted is answered as it is',
  )
})

test('makes a URL of the object, and records the call without the URL', async () => {
  const runId = await storeDump(content)
  const input = { runId, seconds: 600 }
  const { url, expiresAt, ...rest } = await testBerth.ok<{ url: string; expiresAt: string }>('backup.url', input)
  assert.deepEqual(rest, { runId, encrypted: false, sizeBytes: content.length, sha256: sha256Of(content) })
  const { pathname, searchParams } = new URL(url)
  assert.match(pathname, /^\/backups\/nightly\/shop\/shop\/.+\.dump\.zst$/)
  assert.equal(searchParams.get('X-Amz-Expires'), '600')
  assert.ok(Date.parse(expiresAt) > Date.now())
  assert.ok(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(content))
  const [entry] = await testBerth.ok<Record<string, unknown>[]>('audit.all', { order: 'desc', limit: 1 })
  assert.deepEqual([entry!.operation, entry!.record, entry!.result], ['backup.url', runId, 'OK'])
  const signature = searchParams.get('X-Amz-Signature')!
  assert.ok(!JSON.stringify([entry, testBerth.logged]).includes(signature))
})

test('makes no URL of a dump that is not there, or for more than an hour', async () => {
  const runId = await storeDump(content)
  for (const seconds of [59, 3601]) await testBerth.refused('BAD_REQUEST', 'backup.url', { runId, seconds }, 'seconds')
  await replaceObject(runId, Buffer.from('cut'))
  await testBerth.refused('PRECONDITION_FAILED', 'backup.url', { runId })
  await replaceObject(runId, null)
  await testBerth.refused('PRECONDITION_FAILED', 'backup.url', { runId })
  const failed = await storeDump(content, { status: 'error' })
  await testBerth.refused('PRECONDITION_FAILED', 'backup.url', { runId: failed })
  await testBerth.refused('NOT_FOUND', 'backup.url', { runId: 'x' })
})
