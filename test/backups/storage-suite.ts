/** What Berth expects of a storage of any kind. Each implementation of `Storage` runs these tests. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Storage, StorageOptions } from '../../src/lib/storage/storage.ts'

const MiB = 1024 ** 2

/** A storage of one kind. The tests share it, each with a folder of its own. */
export interface StorageUnderTest {
  open(options?: StorageOptions): Storage
  /** Whether the storage lists uploads that are not completed. */
  listsUploads: boolean
  /** Whether `list` has several pages. */
  hasPages: boolean
}

const signal = new AbortController().signal

/** Yields bytes that differ from place to place, in chunks whose length fits no part size. */
export async function* bytesOf(sizeBytes: number): AsyncGenerator<Buffer> {
  const chunkBytes = 333_333
  for (let at = 0; at < sizeBytes; at += chunkBytes) {
    const chunk = Buffer.alloc(Math.min(chunkBytes, sizeBytes - at))
    for (let i = 0; i < chunk.length; i += 4096) chunk.writeUInt32LE((at + i) >>> 0, Math.min(i, chunk.length - 4))
    yield chunk
  }
}

async function digestOf(source: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of source) hash.update(piece)
  return hash.digest('hex')
}

const keysIn = async (storage: Storage, prefix: string) =>
  (await storage.list(prefix, 1000)).objects.map(({ key }) => key)

/** @param underTest called when the tests run */
export function storageSuite(name: string, underTest: () => StorageUnderTest): void {
  test(`${name}: writes, replaces, measures, reads and removes objects`, async () => {
    using storage = underTest().open()
    const [key, body] = ['one/a b+%25.txt', Buffer.from('Grüße 😀\0')]
    for (const each of [Buffer.from('before'), body]) await storage.put(key, each)
    assert.deepEqual(Buffer.concat(await Array.fromAsync(storage.get(key))), body)
    assert.deepEqual(await storage.head(key), { sizeBytes: body.length })
    assert.equal(await storage.remove([key, 'one/none', 'no/such/folder/none']), 'gone')
    assert.equal(await storage.head(key), null)
    assert.equal(await storage.head('no/such/folder/none'), null)
    await assert.rejects(Array.fromAsync(storage.get(key)), { name: 'StorageFault', kind: 'missing' })
  })

  test(`${name}: uploads objects of unknown length`, async () => {
    using storage = underTest().open()
    for (const sizeBytes of [0, 1000, 4 * MiB, 11 * MiB, 25 * MiB + 5]) {
      const progress: number[] = []
      const begun: string[] = []
      const uploaded = await storage.upload('two/large', bytesOf(sizeBytes), {
        signal,
        onProgress: (sent) => void progress.push(sent),
        onBegun: (id) => void begun.push(id),
      })
      assert.deepEqual([uploaded, progress.at(-1), begun.length], [{ sizeBytes }, sizeBytes, 1])
      assert.equal(await digestOf(storage.get('two/large')), await digestOf(bytesOf(sizeBytes)), `${sizeBytes} bytes`)
      assert.deepEqual(await storage.head('two/large'), { sizeBytes })
    }
    assert.deepEqual([await keysIn(storage, 'two/'), await storage.listUploads('two/')], [['two/large'], []])
  })

  test(`${name}: lists objects in the order of their keys`, async () => {
    using storage = underTest().open()
    const keys = ['three/a', 'three/a-b/x', 'three/a/x', 'three/a0', 'three/b/c/d', 'three/b/c/d.json', 'threefold']
    const isFile = (key: string) => key !== 'three/a'
    for (const key of keys.filter(isFile)) await storage.put(key, Buffer.from(key))
    const inFolder = keys.filter((key) => isFile(key) && key.startsWith('three/'))
    assert.deepEqual(await keysIn(storage, 'three/'), inFolder)
    assert.deepEqual(await keysIn(storage, 'three'), [...inFolder, 'threefold'])
    assert.deepEqual(await keysIn(storage, 'three/b/c/d.'), ['three/b/c/d.json'])
    for (const prefix of ['three/none', 'none/', '../', 'three/../'])
      assert.deepEqual(await keysIn(storage, prefix), [])
    const { objects } = await storage.list('three/', 2)
    assert.deepEqual(
      objects.map(({ sizeBytes }) => sizeBytes),
      inFolder.slice(0, 2).map(({ length }) => length),
    )
    if (underTest().hasPages) assert.deepEqual(await pagesOf(storage, 'three/', 2), inFolder)
    await storage.remove(keys.filter(isFile))
    assert.deepEqual(await keysIn(storage, 'three'), [])
  })

  test(`${name}: an upload whose source fails leaves the object as it was, and nothing else`, async () => {
    using storage = underTest().open()
    await storage.put('four/dump', Buffer.from('good'))
    const failing = async function* () {
      yield* bytesOf(12 * MiB)
      throw new Error('the dump failed')
    }
    await assert.rejects(storage.upload('four/dump', failing(), { signal }), /the dump failed/)
    assert.deepEqual(Buffer.concat(await Array.fromAsync(storage.get('four/dump'))).toString(), 'good')
    assert.deepEqual([await keysIn(storage, 'four/'), await storage.listUploads('')], [['four/dump'], []])
  })

  test(`${name}: an aborted upload ends with the reason of its signal, and leaves nothing`, async () => {
    using storage = underTest().open()
    const controller = new AbortController()
    const stalled = async function* () {
      yield* bytesOf(12 * MiB)
      controller.abort(new Error('cancelled'))
      await new Promise(() => undefined)
    }
    await assert.rejects(storage.upload('five/dump', stalled(), { signal: controller.signal }), /cancelled/)
    assert.deepEqual([await keysIn(storage, 'five/'), await storage.listUploads('')], [[], []])
  })

  test(`${name}: an upload is invisible until it is complete, and can be aborted by its id`, async () => {
    using storage = underTest().open()
    let uploadId = ''
    const source = async function* () {
      yield* bytesOf(12 * MiB)
      assert.deepEqual([await keysIn(storage, 'six/'), await storage.head('six/dump')], [[], null])
      if (underTest().listsUploads) {
        const uploads = await storage.listUploads('six/')
        assert.deepEqual(
          uploads.map((upload) => [upload.key, upload.uploadId]),
          [['six/dump', uploadId]],
        )
      }
      using other = underTest().open()
      for (const _ of [1, 2]) await other.abortUpload('six/dump', uploadId)
      yield* bytesOf(12 * MiB)
    }
    const upload = storage.upload('six/dump', source(), {
      signal,
      onBegun: (id) => {
        uploadId = id
      },
    })
    await assert.rejects(upload)
    assert.deepEqual([await keysIn(storage, 'six/'), await storage.listUploads('')], [[], []])
    await storage.abortUpload('six/none', 'no-such-upload')
  })
}

async function pagesOf(storage: Storage, prefix: string, limit: number): Promise<string[]> {
  const keys: string[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<Storage['list']>> = await storage.list(prefix, limit, cursor)
    assert.ok(page.objects.length <= limit)
    keys.push(...page.objects.map(({ key }) => key))
    cursor = page.cursor
  } while (cursor !== null)
  return keys
}
