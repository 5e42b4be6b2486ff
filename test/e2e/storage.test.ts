/** Objects on a real S3 server, over a line that is cut, stalled and slowed: whole, or an error and nothing left. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { AbandonedUpload, StorageFault } from '../../src/lib/s3/s3.ts'
import { nodeFlags } from '../fixtures/bundle.ts'
import { openFaultyProxy } from './faulty-proxy.ts'
import { startStorage, type Storage } from './storage.ts'
import { bucketOn, hasty, MiB, randomBytes, sumOf } from './storage-samples.ts'

const run = promisify(execFile)

let storage: Storage
before(async () => {
  storage = await startStorage()
  storage.makeBucket('backups')
})
after(() => storage[Symbol.asyncDispose]())

const unending = () => new AbortController().signal
const size = 64 * MiB + 12_345

test('an object is put, read, measured, listed and removed', async () => {
  using bucket = bucketOn(storage)
  const body = Buffer.from('Grüße 😀\0')
  await bucket.put('a/1 +%?#é', body, unending(), { run: 'one' })
  assert.deepEqual(Buffer.concat(await Array.fromAsync(bucket.get('a/1 +%?#é'))), body)
  assert.deepEqual(await bucket.head('a/1 +%?#é'), { sizeBytes: body.length, metadata: { run: 'one' } })
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

test('nothing and a few bytes are uploaded as well', async () => {
  using bucket = bucketOn(storage)
  for (const length of [0, 1, 8 * MiB, 8 * MiB + 1]) {
    const expected = await sumOf(randomBytes(length))
    const sent: number[] = []
    const done = await bucket.upload('small', randomBytes(length), {
      signal: unending(),
      metadata: { of: 'test' },
      onProgress: (bytes) => void sent.push(bytes),
    })
    assert.deepEqual([done.sizeBytes, sent.at(-1)], [length, length])
    assert.deepEqual(await sumOf(bucket.get('small')), expected)
    assert.deepEqual(await bucket.head('small'), { sizeBytes: length, metadata: { of: 'test' } })
  }
  await bucket.remove(['small'])
  assert.deepEqual(await bucket.listUploads(''), [])
})

for (const does of ['cut', 'stall'] as const) {
  test(`64 MiB come whole over a line that is ${does} six times, and back`, async (t) => {
    await using line = await openFaultyProxy(storage.port)
    using bucket = bucketOn(storage, line)
    line[does]('up', 3 * MiB, 5)
    line[does]('down', 100, 1)
    const began = performance.now()
    const { sizeBytes } = await bucket.upload('whole', randomBytes(size), { signal: unending() })
    t.diagnostic(`up: ${Math.round((performance.now() - began) / 1000)} s, ${JSON.stringify(line.faultCounts)}`)
    assert.deepEqual([sizeBytes, line.faultCounts[does]], [size, 6])
    line.heal()
    line[does]('down', 8 * MiB, 4)
    assert.deepEqual(await sumOf(bucket.get('whole')), await sumOf(randomBytes(size)))
    assert.equal(line.faultCounts[does], 10)
    await bucket.remove(['whole'])
  })

  test(`an upload over a line that is ${does} for good fails, is aborted, and leaves nothing listed`, async () => {
    await using line = await openFaultyProxy(storage.port)
    using bucket = bucketOn(storage, line)
    let sent = 0
    const begun: string[] = []
    const upload = bucket.upload('lost', randomBytes(size), {
      signal: unending(),
      onBegun: (id) => void begun.push(id),
      onProgress(bytes) {
        sent = bytes
        // From then on every part, and nothing that is shorter: the abort comes through.
        line[does]('up', 64 * 1024)
      },
    })
    await assert.rejects(upload, { name: 'StorageFault', kind: does === 'cut' ? 'broken' : 'timeout' })
    assert.ok(sent > 0 && sent < size && begun.length === 1)
    using near = bucketOn(storage)
    assert.deepEqual([await near.listUploads(''), (await near.list('', 10)).objects], [[], []])
  })
}

test('what cannot be aborted is said, with its first cause, and can be listed and aborted later', async () => {
  await using line = await openFaultyProxy(storage.port)
  using bucket = bucketOn(storage, line, { ...hasty, attempts: 2 })
  const cutAll = () => line.cut('up', 0)
  await assert.rejects(
    bucket.upload('left', randomBytes(size), { signal: unending(), onProgress: cutAll }),
    (error) => error instanceof AbandonedUpload && error.cause instanceof StorageFault && error.cause.kind === 'broken',
  )
  using near = bucketOn(storage)
  const [left, ...others] = await near.listUploads('le')
  assert.deepEqual([left?.key, others], ['left', []])
  assert.deepEqual(await near.listUploads('other'), [])
  for (const times of [1, 2]) {
    await near.abortUpload('left', left!.uploadId)
    assert.deepEqual(await near.listUploads(''), [], `after ${times}`)
  }
})

test('a source that fails and a caller that leaves end the upload, for their own reason', async () => {
  using bucket = bucketOn(storage)
  const broken = async function* () {
    yield* randomBytes(20 * MiB)
    throw new Error('the dump died')
  }
  await assert.rejects(bucket.upload('ended', broken(), { signal: unending() }), /the dump died/)
  const leaving = new AbortController()
  const stalled = async function* () {
    yield* randomBytes(20 * MiB)
    leaving.abort(new Error('cancelled'))
    await new Promise(() => undefined)
  }
  await assert.rejects(bucket.upload('ended', stalled(), { signal: leaving.signal }), /cancelled/)
  assert.deepEqual([await bucket.listUploads(''), await bucket.head('ended')], [[], null])
})

test('a slow line is no dead one', async () => {
  await using line = await openFaultyProxy(storage.port)
  using bucket = bucketOn(storage, line, { attempts: 1, idleMs: 6000 })
  line.slow(2 * MiB)
  const began = performance.now()
  await bucket.upload('slow', randomBytes(24 * MiB), { signal: unending() })
  assert.ok(performance.now() - began > 3000)
  line.slow(8 * MiB)
  assert.deepEqual(await sumOf(bucket.get('slow')), await sumOf(randomBytes(24 * MiB)))
  await bucket.remove(['slow'])
})

test('a lost answer to the last request does not lose the object', async () => {
  await using line = await openFaultyProxy(storage.port)
  using bucket = bucketOn(storage, line)
  const source = async function* () {
    yield* randomBytes(1000)
    // One part and its answer are some hundred bytes down: the next answer is that of the completion.
    line.cut('down', 900, 1)
  }
  await bucket.upload('answered', source(), { signal: unending() })
  assert.equal((await bucket.head('answered'))?.sizeBytes, 1000)
  await bucket.remove(['answered'])
})

test('an object that is cut short each time is an error, never a short object', async () => {
  await using line = await openFaultyProxy(storage.port)
  using bucket = bucketOn(storage, line)
  await bucket.put('short', Buffer.concat(await Array.fromAsync(randomBytes(9 * MiB))))
  line.cut('down', 0)
  await assert.rejects(sumOf(bucket.get('short')), { kind: 'broken' })
  line.heal()
  line.stall('down', 1000)
  await assert.rejects(sumOf(bucket.get('short')), { kind: 'timeout' })
})

test('an object that is replaced while it is read is an error', async () => {
  await using line = await openFaultyProxy(storage.port)
  using bucket = bucketOn(storage, line)
  const first = Buffer.alloc(9 * MiB, 1)
  await bucket.put('replaced', first)
  line.cut('down', 4 * MiB, 1)
  const read = async () => {
    let at = 0
    for await (const chunk of bucket.get('replaced')) {
      if (at === 0) await bucket.put('replaced', Buffer.alloc(9 * MiB, 2))
      at += chunk.length
    }
  }
  await assert.rejects(read(), { kind: 'changed' })
  await bucket.remove(['replaced', 'short'])
})

test('256 MiB go up in bounded memory', async (t) => {
  const program = new URL('storage-memory.ts', import.meta.url).pathname
  const settings = JSON.stringify(storage.settings('backups'))
  const { stdout } = await run(process.execPath, [...nodeFlags, program], {
    env: { ...process.env, STORAGE_SETTINGS: settings },
  })
  const { bare, loaded, highest, seconds, sizeBytes } = JSON.parse(stdout) as Record<string, number>
  t.diagnostic(
    `${Math.round(sizeBytes! / MiB / seconds!)} MiB/s; RSS without the SDK ${bare} MiB, with it ` +
      `${loaded} MiB, at most ${highest} MiB while uploading`,
  )
  assert.ok(highest! - loaded! < 32, stdout)
})
