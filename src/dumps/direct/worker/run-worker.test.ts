/** The worker program: pipes, parts, sums, back-pressure and failures, against a storage in memory. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { decryptWith, fileKeyOf, newIdentity } from '../../../lib/crypto/encryption.ts'
import { openBucket, type WantedRequest } from '../../../lib/s3/s3.ts'
import { type Instructions, jsonLines, type Report, type Work, type WorkerMessage } from '../protocol.ts'
import { type PipeName, pipePath } from '../pipes.ts'
import { runWorker } from './run-worker.ts'

/** A storage with one object. `answer` may answer a request itself, by returning true. */
async function storageOn(t: TestContext, answer: (...args: Parameters<RequestListener>) => boolean = () => false) {
  const parts = new Map<number, Buffer>()
  const storage = { parts, object: Buffer.alloc(0) as Buffer, port: 0 }
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      if (answer(request, response)) return
      const number = Number(new URL(request.url!, 'http://it').searchParams.get('partNumber'))
      if (request.method === 'PUT') {
        parts.set(number, body)
        response.setHeader('etag', `"${number}"`).end()
      } else response.setHeader('etag', '"v1"').end(request.method === 'HEAD' ? undefined : storage.object)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  storage.port = (server.address() as AddressInfo).port
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return storage
}

/** Starts a worker, and signs its requests. */
function startWorker(t: TestContext, port: number, work: Work, idleMs = 60_000) {
  const folder = mkdtempSync(join(tmpdir(), 'berth-worker-'))
  const settings = { region: '', bucket: 'backups', accessKey: 'key', secretAccessKey: 'a secret' }
  const bucket = openBucket({ ...settings, endpoint: `http://127.0.0.1:${port}` })
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const messages: WorkerMessage[] = []
  const signed: WantedRequest[] = []
  const instructions: Instructions = {
    work,
    storage: { names: bucket.names, extraCa: [], onlyCa: null, limits: { attempts: 3, waitMs: 1 }, allowed: [] },
    idleMs,
  }
  stdin.write(`${JSON.stringify(instructions)}\n`)
  const exitCode = runWorker({ stdin, stdout, folder }).finally(() => stdout.end())
  const ready = Promise.withResolvers<void>()
  const last = (async () => {
    for await (const line of jsonLines(stdout)) {
      const message = line as WorkerMessage
      messages.push(message)
      if (message.type === 'ready') ready.resolve()
      if (message.type === 'sign') {
        signed.push(message.request)
        const request = await bucket.sign('a/dump', message.request, 'upload')
        stdin.write(`${JSON.stringify({ reply: message.id, signed: request })}\n`)
      }
      if (['done', 'failed', 'unreachable'].includes(message.type)) return message
    }
    throw new Error('The worker ended without a result')
  })()
  t.after(async () => {
    stdin.end()
    await exitCode
    bucket[Symbol.dispose]()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    stdin,
    exitCode,
    ready: ready.promise,
    last,
    signed,
    write: (name: PipeName) => createWriteStream(pipePath(name, folder)),
    read: (name: PipeName) => buffer(createReadStream(pipePath(name, folder))),
    report: async (): Promise<Report> => {
      const message = await last
      assert.equal(message.type, 'done', JSON.stringify(message))
      return (message as WorkerMessage & { type: 'done' }).report
    },
  }
}

const plain: Work = { do: 'dump', recipient: null, reading: null }
/** Text that zstd compresses by little. */
const noise = (bytes: number) => {
  const content = Buffer.alloc(bytes)
  let state = 1
  for (let at = 0; at < bytes; at += 4) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    content.writeUInt32LE(state, at)
  }
  return content
}

test('uploads the output of a tool in parts, and reports their sums', async (t) => {
  const storage = await storageOn(t)
  const worker = startWorker(t, storage.port, plain)
  await worker.ready
  const content = noise(12 * 1024 ** 2)
  worker.write('dumped').end(content)
  const { object, parts, rawBytes } = await worker.report()
  const stored = Buffer.concat([...storage.parts].sort(([a], [b]) => a - b).map(([, part]) => part))
  assert.ok(zstdDecompressSync(stored).equals(content))
  assert.deepEqual([rawBytes, object!.sizeBytes, parts.length], [content.length, stored.length, storage.parts.size])
  const sizes = worker.signed.flatMap((request) => (request.do === 'part' ? request.sizeBytes : []))
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    stored.length,
  )
  assert.equal(parts.length, 3)
})

test('repeats a part that the storage does not accept', async (t) => {
  let refusals = 0
  const storage = await storageOn(t, (request, response) => {
    if (request.method !== 'PUT' || refusals === 2) return false
    refusals++
    if (refusals === 1) response.writeHead(500).end()
    else request.socket.destroy()
    return true
  })
  const worker = startWorker(t, storage.port, plain)
  await worker.ready
  worker.write('dumped').end('content')
  assert.equal((await worker.report()).rawBytes, 7)
  assert.equal(refusals, 2)
})

test('stops reading the tool while the storage does not take a part', async (t) => {
  const waiting = Promise.withResolvers<void>()
  const storage = await storageOn(t, (request, response) => {
    if (request.method !== 'PUT') return false
    void waiting.promise.then(() => response.setHeader('etag', '"it"').end())
    return true
  })
  const worker = startWorker(t, storage.port, plain)
  await worker.ready
  const pipe = worker.write('dumped')
  const piece = noise(1024 ** 2)
  let writtenBytes = 0
  const writing = (async () => {
    for (let count = 0; count < 64; count++) {
      if (!pipe.write(piece)) await once(pipe, 'drain')
      writtenBytes += piece.length
    }
    pipe.end()
  })()
  // The memory of the parts is used up, and no byte moves any more.
  for (let before = -1; before !== writtenBytes || writtenBytes === 0; await once(setTimer(), 'done'))
    before = writtenBytes
  assert.ok(writtenBytes < 32 * 1024 ** 2, `${writtenBytes} bytes were read`)
  waiting.resolve()
  await writing
  assert.equal((await worker.report()).rawBytes, 64 * 1024 ** 2)
})

/** A timer as an emitter, for `once`. */
function setTimer() {
  const emitter = new PassThrough()
  setTimeout(() => emitter.emit('done'), 300)
  return emitter
}

test('encrypts, and decrypts with the key of the object alone', async (t) => {
  const { identity, recipient } = await newIdentity()
  const storage = await storageOn(t)
  const first = startWorker(t, storage.port, { do: 'dump', recipient, reading: null })
  await first.ready
  first.write('dumped').end('content')
  const { object } = await first.report()
  storage.object = storage.parts.get(1)!
  const bytes = async function* () {
    yield storage.object
  }
  assert.equal(
    String(zstdDecompressSync(Buffer.concat(await Array.fromAsync(decryptWith(identity, bytes()))))),
    'content',
  )
  const fileKey = Buffer.from(await fileKeyOf(identity, bytes())).toString('base64')
  const second = startWorker(t, storage.port, { do: 'load', fileKey, sha256: object!.sha256 })
  await second.ready
  assert.equal(String(await second.read('loaded')), 'content')
  assert.deepEqual((await second.report()).object, object)
})

test('keeps the input of the tool open if the object differs, until Berth ends the worker', async (t) => {
  const storage = await storageOn(t)
  const first = startWorker(t, storage.port, plain)
  await first.ready
  first.write('dumped').end('content')
  await first.report()
  storage.object = storage.parts.get(1)!
  const worker = startWorker(t, storage.port, { do: 'load', fileKey: null, sha256: 'another' })
  await worker.ready
  const loaded = worker.read('loaded')
  assert.deepEqual(await worker.last, { type: 'failed', failure: { cause: 'objectChanged' } })
  assert.equal(await Promise.race([loaded, once(setTimer(), 'done').then(() => 'open')]), 'open')
  worker.stdin.end()
  assert.equal(await worker.exitCode, 1)
})

test('reports a tool that transfers nothing', async (t) => {
  const storage = await storageOn(t)
  const worker = startWorker(t, storage.port, plain, 100)
  await worker.ready
  const pipe = worker.write('dumped')
  pipe.write('a beginning')
  assert.deepEqual(await worker.last, { type: 'failed', failure: { cause: 'idle' } })
  pipe.destroy()
})

test('reports a storage that it does not reach, before the tools start', async (t) => {
  const worker = startWorker(t, 9, plain)
  const message = await worker.last
  assert.deepEqual([message.type, 'fault' in message && message.fault], ['unreachable', 'refused'])
})

test('ends when Berth closes its input, at any time', async (t) => {
  const storage = await storageOn(t)
  const worker = startWorker(t, storage.port, plain)
  worker.last.catch(() => undefined)
  await worker.ready
  const pipe = worker.write('dumped')
  // Without the other end, opening it would never end, and neither would this process.
  await once(pipe, 'open')
  pipe.write('a beginning')
  worker.stdin.end()
  assert.equal(await worker.exitCode, 1)
  pipe.destroy()
})
