/** Malformed and incomplete requests, and the shutdown of the server, on real sockets. */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { startBerth } from '../fixtures/harness.ts'
import { exchange, open, received, until } from './raw.ts'
import { sampleOperations } from './sample-operations.ts'

const shape = /"code":"BAD_REQUEST","issues":\[\]\}$/

test('answers a malformed request with the error body and a request id, and closes the connection', async () => {
  await using berth = await startBerth({ operations: sampleOperations() })
  const url = await berth.listen()
  const cases: [string | Buffer, RegExp][] = [
    ['nonsense\r\n\r\n', /not a well-formed HTTP request/],
    [Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]), /not a well-formed HTTP request/],
    ['GET / HTTP/1.1\r\n\r\n', /HTTP\/1\.1 400/],
    ['MADE-UP /healthz HTTP/1.1\r\nHost: a\r\n\r\n', /not a well-formed HTTP request/],
    [`GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, /The headers are larger than 16 KiB/],
    [
      'POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      /not a well-formed HTTP request/,
    ],
    ['POST /api/test.echo HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n', /not a well-formed HTTP request/],
  ]
  for (const [text, messagePattern] of cases) {
    const answer = await exchange(url, text)
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/, String(text).slice(0, 40))
    assert.match(answer, messagePattern)
  }
  const answer = await exchange(url, 'nonsense\r\n\r\n')
  assert.match(answer, shape)
  assert.match(answer, /\r\nX-Request-Id: \w+-\d+\r\n/)
  assert.equal((await fetch(`${url}/healthz`)).status, 200, 'the server still answers')
})

test('answers 400 to a path with invalid percent-encoding, also after a number sign', async () => {
  await using berth = await startBerth({ operations: sampleOperations() })
  const url = await berth.listen()
  for (const path of ['/%zz', '/a#%zz', '/api/a#%zz', '/a#%ff']) {
    for (const accept of ['text/html', 'application/json']) {
      const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\nConnection: close\r\n\r\n`
      const answer = await exchange(url, request)
      assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*The path is not valid percent-encoding/, `${path} ${accept}`)
    }
  }
})

test('the server still answers after an incomplete body', async () => {
  await using berth = await startBerth({ operations: sampleOperations() })
  const url = await berth.listen()
  const { token } = await berth.admin()
  const socket = await open(url)
  const head = `POST /api/test.echo HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Length: 100`
  socket.write(`${head}\r\n\r\n{"te`)
  socket.destroySoon()
  await received(socket)
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
})

test('refuses a caller without access before the body arrives', async () => {
  await using berth = await startBerth({ operations: sampleOperations() })
  const socket = await open(await berth.listen())
  socket.write('POST /api/test.echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n')
  assert.match(await until(socket, /"issues":\[\]\}$/), /^HTTP\/1\.1 401/)
  socket.destroy()
})

/** Bodies that a client sends completely before it reads the answer. */
const bodies: [how: string, mebibytes: number, isChunked: boolean][] = [
  ['64 MiB', 64, false],
  ['64 MiB in chunks of unknown number', 64, true],
]
for (const [how, mebibytes, isChunked] of bodies) {
  test(`a client that sends ${how} before it reads can read the 413, and use the connection again`, async () => {
    await using berth = await startBerth({ operations: sampleOperations() })
    const socket = await open(await berth.listen())
    const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${mebibytes * mebibyte.length}`
    socket.write(`POST /api/test.echo HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${(await berth.admin()).token}\r\n`)
    socket.write(`${length}\r\n\r\n`)
    for (let sent = 0; sent < mebibytes; sent++) {
      if (isChunked) socket.write(`${mebibyte.length.toString(16)}\r\n`)
      await write(socket, mebibyte)
      if (isChunked) socket.write('\r\n')
    }
    if (isChunked) socket.write('0\r\n\r\n')
    assert.match(await until(socket, /"issues":\[\]\}$/), /^HTTP\/1\.1 413 [\s\S]*PAYLOAD_TOO_LARGE/)
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    assert.match(await received(socket), /^HTTP\/1\.1 200/)
  })
}
const mebibyte = Buffer.alloc(1024 * 1024, 'x')

/** Resolves when the system has taken all data. */
const write = (socket: Socket, data: Buffer) =>
  new Promise<void>((resolve, reject) => void socket.write(data, (error) => (error ? reject(error) : resolve())))

test('a client that stops sending its much too large body can read the 413, and is disconnected', async () => {
  await using berth = await startBerth({ operations: sampleOperations() })
  const socket = await open(await berth.listen())
  const head = `POST /api/test.echo HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${(await berth.admin()).token}`
  socket.write(`${head}\r\nContent-Length: ${64 * mebibyte.length}\r\n\r\n`)
  for (let sent = 0; sent < 3; sent++) await write(socket, mebibyte)
  assert.match(await received(socket), /^HTTP\/1\.1 413 [\s\S]*PAYLOAD_TOO_LARGE/)
})

test('answers pipelined requests in order', async () => {
  await using berth = await startBerth({ operations: sampleOperations() })
  const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`
  const answer = await exchange(
    await berth.listen(),
    request('/healthz') + request('/nothing') + request('/healthz', 'Connection: close\r\n'),
  )
  assert.deepEqual(
    [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ['200', '404', '200'],
  )
})

test('close waits for open requests, accepts no new ones and ends idle connections', async () => {
  const gate = Promise.withResolvers<void>()
  const berth = await startBerth({ operations: sampleOperations(gate.promise) })
  const url = await berth.listen()
  const { token } = await berth.admin()
  const idle = await open(url)
  idle.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
  await until(idle, /"ok"/)
  const busy = await open(url)
  const begun = new Promise<void>((resolve) => berth.server.server.once('request', () => resolve()))
  busy.write(`POST /api/test.slow HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Length: 0\r\n\r\n`)
  await begun
  const closed = berth.close()
  assert.equal(await received(idle), '')
  await assert.rejects(open(url), { code: 'ECONNREFUSED' })
  const answer = received(busy)
  gate.resolve()
  assert.match(await answer, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"ok":true\}$/)
  await closed
})
