/**
 * Objects on a real S3 server, over a connection that is cut, stalled and slowed. A transfer either completes, or fails
 * and leaves nothing behind.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { AbandonedUpload, StorageFault } from '../../src/lib/storage/faults.ts'
import { nodeFlags } from '../fixtures/bundle.ts'
import { openFaultyProxy } from './faulty-proxy.ts'
import { startStorage, type Storage } from './storage.ts'
import { bucketOn, fastFailure, MiB, randomBytes, digestOf } from './storage-samples.ts'

const run = promisify(execFile)

let storage: Storage
before(async () => {
  storage = await startStorage()
  storage.makeBucket('backups')
})
after(() => storage[Symbol.asyncDispose]())

const neverAborted = () => new AbortController().signal
const sizeBytes = 64 * MiB + 12_345

test('puts, reads, measures, lists and removes objects', async () => {
  using bucket = bucketOn(storage)
  const body = Buffer.from('Grüße 😀\0')
  await bucket.put('a/1 +%?#é', body)
  assert.deepEqual(Buffer.concat(await Array.fromAsync(bucket.get('a/1 +%?#é'))), body)
  assert.deepEqual(await bucket.head('a/1 +%?#é'), { sizeBytes: body.length })
  for (const n of [2, 3]) await bucket.put(`a/${n}`, body)
  const keys: string[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof bucket.list>> = await bucket.list('a/', 2, cursor)
    assert.ok(page.objects.length <= 2 && page.objects.every(({ sizeBytes }) => sizeBytes === body.length))
    keys.push(...page.objects.map(({ key }) => key))
    cursor = page.cursor
  } while (cursor !== null)
  assert.deepEqual(keys, ['a/1 +%?#é', 'a/2', 'a/3'])
  await bucket.remove([...keys, 'a/none'])
  assert.deepEqual((await bucket.list('a/', 10)).objects, [])
  assert.equal(await bucket.head('a/2'), null)
  await assert.rejects(Array.fromAsync(bucket.get('a/2')), { kind: 'missing' })
})

test('uploads empty and small objects', async () => {
  using bucket = bucketOn(storage)
  for (const length of [0, 1, 8 * MiB, 8 * MiB + 1]) {
    const expected = await digestOf(randomBytes(length))
    const sent: number[] = []
    const uploaded = await bucket.upload('small', randomBytes(length), {
      signal: neverAborted(),
      onProgress: (bytes) => void sent.push(bytes),
    })
    assert.deepEqual([uploaded.sizeBytes, sent.at(-1)], [length, length])
    assert.deepEqual(await digestOf(bucket.get('small')), expected)
    assert.deepEqual(await bucket.head('small'), { sizeBytes: length })
  }
  await bucket.remove(['small'])
  assert.deepEqual(await bucket.listUploads(''), [])
})

for (const fault of ['cut', 'stall'] as const) {
  const participle = fault === 'cut' ? 'cut' : 'stalled'
  test(`64 MiB are transferred in both directions over a connection that is ${participle} several times`, async (t) => {
    await using line = await openFaultyProxy(storage.port)
    using bucket = bucketOn(storage, line)
    line[fault]('up', 3 * MiB, 5)
    line[fault]('down', 100, 1)
    const startMs = performance.now()
    const uploaded = await bucket.upload('large', randomBytes(sizeBytes), { signal: neverAborted() })
    t.diagnostic(`upload: ${Math.round((performance.now() - startMs) / 1000)} s, ${JSON.stringify(line.faultCounts)}`)
    assert.deepEqual([uploaded.sizeBytes, line.faultCounts[fault]], [sizeBytes, 6])
    line.heal()
    line[fault]('down', 8 * MiB, 4)
    assert.deepEqual(await digestOf(bucket.get('large')), await digestOf(randomBytes(sizeBytes)))
    assert.equal(line.faultCounts[fault], 10)
    await bucket.remove(['large'])
  })

  test(`an upload over a permanently ${participle} connection fails, is aborted, and is not listed`, async () => {
    await using line = await openFaultyProxy(storage.port)
    using bucket = bucketOn(storage, line)
    let sent = 0
    const begun: string[] = []
    const upload = bucket.upload('lost', randomBytes(sizeBytes), {
      signal: neverAborted(),
      onBegun: (id) => void begun.push(id),
      onProgress(bytes) {
        sent = bytes
        // From now on every part fails. Shorter requests succeed, so the upload can be aborted.
        line[fault]('up', 64 * 1024)
      },
    })
    await assert.rejects(upload, { name: 'StorageFault', kind: fault === 'cut' ? 'broken' : 'timeout' })
    assert.ok(sent > 0 && sent < sizeBytes && begun.length === 1)
    using direct = bucketOn(storage)
    assert.deepEqual([await direct.listUploads(''), (await direct.list('', 10)).objects], [[], []])
  })
}

test('reports an upload that cannot be aborted, with the first cause, and can list and abort it later', async () => {
  await using line = await openFaultyProxy(storage.port)
  using bucket = bucketOn(storage, line, { ...fastFailure, attempts: 2 })
  const cutAll = () => line.cut('up', 0)
  await assert.rejects(
    bucket.upload('left', randomBytes(sizeBytes), { signal: neverAborted(), onProgress: cutAll }),
    (error) => error instanceof AbandonedUpload && error.cause instanceof StorageFault && error.cause.kind === 'broken',
  )
  using direct = bucketOn(storage)
  const [left, ...others] = await direct.listUploads('le')
  assert.deepEqual([left?.key, others], ['left', []])
  assert.deepEqual(await direct.listUploads('other'), [])
  for (const attempt of [1, 2]) {
    await direct.abortUpload('left', left!.uploadId)
    assert.deepEqual(await direct.listUploads(''), [], `after abort ${attempt}`)
  }
})

test('an upload ends with the error of its source or of its abort signal', async () => {
  using bucket = bucketOn(storage)
  const broken = async function* () {
    yield* randomBytes(20 * MiB)
    throw new Error('the dump died')
  }
  await assert.rejects(bucket.upload('ended', broken(), { signal: neverAborted() }), /the dump died/)
  const controller = new AbortController()
  const stalled = async function* () {
    yield* randomBytes(20 * MiB)
    controller.abort(new Error('cancelled'))
    await new Promise(() => undefined)
  }
  await assert.rejects(bucket.upload('ended', stalled(), { signal: controller.signal }), /cancelled/)
  assert.deepEqual([await bucket.listUploads(''), await bucket.head('ended')], [[], null])
})

test('a slow connection is not treated as a stalled one', async () => {
  await using line = await openFaultyProxy(storage.port)
  using bucket = bucketOn(storage, line, { attempts: 1, idleMs: 6000 })
  line.slow(2 * MiB)
  const startMs = performance.now()
  await bucket.upload('slow', randomBytes(24 * MiB), { signal: neverAborted() })
  assert.ok(performance.now() - startMs > 3000)
  line.slow(8 * MiB)
  assert.deepEqual(await digestOf(bucket.get('slow')), await digestOf(randomBytes(24 * MiB)))
  await bucket.remove(['slow'])
})

test('an upload succeeds if the response to its last request is lost', async () => {
  await using line = await openFaultyProxy(storage.port)
  using bucket = bucketOn(storage, line)
  const source = async function* () {
    yield* randomBytes(1000)
    // The response to the part has a few hundred bytes, so the cut after 900 bytes hits the response to the completion.
    line.cut('down', 900, 1)
  }
  await bucket.upload('answered', source(), { signal: neverAborted() })
  assert.equal((await bucket.head('answered'))?.sizeBytes, 1000)
  await bucket.remove(['answered'])
})

test('reading fails if the connection breaks at every attempt, and never returns a truncated object', async () => {
  await using line = await openFaultyProxy(storage.port)
  using bucket = bucketOn(storage, line)
  await bucket.put('short', Buffer.concat(await Array.fromAsync(randomBytes(9 * MiB))))
  line.cut('down', 0)
  await assert.rejects(digestOf(bucket.get('short')), { kind: 'broken' })
  line.heal()
  line.stall('down', 1000)
  await assert.rejects(digestOf(bucket.get('short')), { kind: 'timeout' })
})

test('reading fails if the object is replaced meanwhile', async () => {
  await using line = await openFaultyProxy(storage.port)
  using bucket = bucketOn(storage, line)
  const first = Buffer.alloc(9 * MiB, 1)
  await bucket.put('replaced', first)
  line.cut('down', 4 * MiB, 1)
  const read = async () => {
    let readBytes = 0
    for await (const chunk of bucket.get('replaced')) {
      if (readBytes === 0) await bucket.put('replaced', Buffer.alloc(9 * MiB, 2))
      readBytes += chunk.length
    }
  }
  await assert.rejects(read(), { kind: 'changed' })
  await bucket.remove(['replaced', 'short'])
})

test('an upload of 256 MiB needs less than 32 MiB of memory', async (t) => {
  const program = join(import.meta.dirname, 'storage-memory.ts')
  const settings = JSON.stringify(storage.settings('backups'))
  const { stdout } = await run(process.execPath, [...nodeFlags, program], {
    env: { ...process.env, STORAGE_SETTINGS: settings },
  })
  const { bare, loaded, highest, seconds, sizeBytes: uploadedBytes } = JSON.parse(stdout) as Record<string, number>
  t.diagnostic(
    `${Math.round(uploadedBytes! / MiB / seconds!)} MiB/s; RSS without the SDK ${bare} MiB, with it ` +
      `${loaded} MiB, at most ${highest} MiB while uploading`,
  )
  assert.ok(highest! - loaded! < 32, stdout)
})
