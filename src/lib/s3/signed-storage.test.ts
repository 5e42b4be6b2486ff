/** Requests that are signed in one place and sent from another: parts, retries, resumed reads, and storages out of reach. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { egressOf } from '../net/egress.ts'
import { collectParts } from './parts.ts'
import { openBucket, type StorageFault } from './s3.ts'
import { openSignedStorage } from './signed-storage.ts'

type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void

/** A storage that answers with `answers`, in turn; the last one also answers all later requests. */
async function storageOf(t: TestContext, ...answers: Answer[]) {
  const requests: { method: string; url: string; headers: IncomingMessage['headers']; body: Buffer }[] = []
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const answer = answers[Math.min(requests.length, answers.length - 1)]!
      requests.push({ method: request.method!, url: request.url!, headers: request.headers, body })
      answer(request, response, body)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, requests, ...opened(t, port) }
}

/** @param portOf the port of each attempt, from 1. Default: the port of the storage */
function opened(t: TestContext, port: number, portOf = (_attempt: number) => port) {
  const settings = { region: '', bucket: 'backups', accessKey: 'key', secretAccessKey: 'a secret' }
  const bucket = openBucket({ ...settings, endpoint: `http://127.0.0.1:${port}` })
  let signatures = 0
  const storage = openSignedStorage({
    sign: async (request) => {
      signatures += 1
      return { ...(await bucket.sign("a/b c/(it's).dump", request, 'upload 1')), port: portOf(signatures) }
    },
    egress: egressOf([]),
    ca: [],
    names: { host: `127.0.0.1:${port}`, bucket: 'backups', region: 'us-east-1' },
    limits: { attempts: 3, waitMs: 1, idleMs: 500 },
  })
  t.after(() => {
    storage.close()
    bucket[Symbol.dispose]()
  })
  return { storage, signatures: () => signatures }
}

const signal = new AbortController().signal
const send = (status: number, body: string | Buffer = '', headers: Record<string, string> = {}): Answer => {
  return (_request, response) => void response.writeHead(status, headers).end(body)
}
const reset: Answer = (request) => void request.socket.destroy()
const partOf = async (text: string) =>
  (await collectParts(
    (async function* () {
      yield Buffer.from(text)
    })(),
  ).next())!
const failsWith = (kind: StorageFault['kind']) => (error: unknown) => (error as StorageFault).kind === kind

test('sends a part with the signature of exactly these bytes, and returns its etag', async (t) => {
  const { storage, requests } = await storageOf(t, send(200, '', { etag: '"one"' }))
  const part = await partOf('content')
  assert.equal(await storage.sendPart(part, signal), '"one"')
  const [{ method, url, headers, body }] = requests as [(typeof requests)[0]]
  assert.deepEqual([method, body.toString()], ['PUT', 'content'])
  const [path, query] = url.split('?') as [string, string]
  assert.equal(path, '/backups/a/b%20c/%28it%27s%29.dump')
  assert.deepEqual(query.split('&').sort(), ['partNumber=1', 'uploadId=upload%201', 'x-id=UploadPart'])
  assert.deepEqual([headers['content-length'], headers['x-amz-content-sha256']], ['7', part.sha256])
  assert.match(headers.authorization!, /SignedHeaders=[^,]*content-length[^,]*x-amz-content-sha256/)
  assert.ok(!JSON.stringify(requests).includes('a secret'))
})

test('repeats a part after a server error and a broken connection, each time with a new signature', async (t) => {
  const { storage, requests, signatures } = await storageOf(t, send(503), reset, send(200, '', { etag: '"two"' }))
  assert.equal(await storage.sendPart(await partOf('x'), signal), '"two"')
  assert.deepEqual([requests.length, signatures()], [3, 3])
})

test('repeats a request after an answer that changes the protocol', async (t) => {
  const switching: Answer = ({ socket }) =>
    void socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
  const { storage, requests } = await storageOf(t, switching, send(200, '', { etag: '"two"' }))
  assert.equal(await storage.sendPart(await partOf('x'), signal), '"two"')
  assert.equal(requests.length, 2)
})

test('gives up after the last attempt, and at once if a retry cannot succeed', async (t) => {
  const busy = await storageOf(t, send(500))
  await assert.rejects(busy.storage.sendPart(await partOf('x'), signal), failsWith('busy'))
  assert.equal(busy.requests.length, 3)
  const refusal = '<Error><Code>SignatureDoesNotMatch</Code></Error>'
  const refused = await storageOf(t, send(403, refusal))
  await assert.rejects(refused.storage.sendPart(await partOf('x'), signal), failsWith('secretAccessKey'))
  assert.equal(refused.requests.length, 1)
})

test('repeats a part if the storage refuses connections only after a long attempt', async (t) => {
  const now = performance.now.bind(performance)
  let passedMs = 0
  t.mock.method(performance, 'now', () => now() + passedMs)
  const { port } = await storageOf(
    t,
    (...args) => {
      passedMs = 60_000
      send(503)(...args)
    },
    send(200, '', { etag: '"one"' }),
  )
  const { storage } = opened(t, port, (attempt) => (attempt === 2 ? 9 : port))
  assert.equal(await storage.sendPart(await partOf('x'), signal), '"one"')
})

test('does not wait for the rest of a refusal', async (t) => {
  const { storage } = await storageOf(
    t,
    (_request, response) => void response.writeHead(503, { 'content-length': '10' }).write('01234'),
    send(200, '', { etag: '"one"' }),
  )
  assert.equal(await storage.sendPart(await partOf('x'), signal), '"one"')
})

test('ends a request that the storage does not answer', async (t) => {
  const { storage } = await storageOf(t, () => undefined)
  await assert.rejects(storage.reach(signal), failsWith('timeout'))
})

test('continues reading at the same position of the same version', async (t) => {
  const { storage, requests } = await storageOf(
    t,
    (request, response) => {
      response.writeHead(200, { 'content-length': '10', etag: '"v1"' }).write('01234', () => request.socket.destroy())
    },
    send(206, '56789', { 'content-range': 'bytes 5-9/10' }),
  )
  assert.equal(Buffer.concat(await Array.fromAsync(storage.read(signal))).toString(), '0123456789')
  assert.deepEqual([requests[1]!.headers.range, requests[1]!.headers['if-match']], ['bytes=5-', '"v1"'])
})

test('reaches a storage that refuses the request, but not a port on which nothing listens', async (t) => {
  const { storage } = await storageOf(t, send(404))
  await storage.reach(signal)
  await assert.rejects(opened(t, 9).storage.reach(signal), failsWith('refused'))
})
