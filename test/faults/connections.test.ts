/**
 * Tests clients that send endless or far too large requests, or open too many connections. Berth must answer with the
 * reason, close the connection in limited time, and serve other clients as usual.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { after, before, describe, test } from 'node:test'
import { until } from '../engine/until.ts'
import { type BerthProcess, berthProcess } from '../e2e/process.ts'
import { open } from '../http/raw.ts'

const mebibyte = 1024 * 1024
const noEngine = { DOCKER_HOST: 'unix:///nowhere/docker.sock' }

let berth: BerthProcess
let token = ''
let folder = ''
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'berth-test-'))
  berth = await berthProcess(folder, noEngine)
  await berth.start()
  await berth.signIn()
  token = readFileSync(join(folder, 'access-token'), 'utf8').trim()
})
after(async () => {
  await berth.stop()
  rmSync(folder, { recursive: true })
})

/** Sends `piece` repeatedly, as fast as Berth reads it, until Berth closes the connection. Returns Berth's response. */
async function sendOn(
  head: string,
  piece: Buffer | string,
  boundMs: number,
): Promise<{ response: string; sent: number }> {
  const socket = await open(berth.base)
  let [response, sent, isClosed] = ['', 0, false]
  socket
    .on('data', (chunk: Buffer) => {
      response += chunk.toString()
    })
    .on('error', () => undefined)
    .on('close', () => {
      isClosed = true
    })
  socket.write(head)
  const end = Date.now() + boundMs
  while (!isClosed) {
    assert.ok(Date.now() < end, `not closed within ${boundMs} ms, after ${sent} bytes; response: ${response}`)
    if (socket.writable && socket.writableLength < mebibyte) {
      socket.write(piece)
      sent += piece.length
    }
    await pause(1)
  }
  return { response, sent }
}

const post = (authorization: string, more: string) =>
  [
    'POST /api/auth.login HTTP/1.1',
    'Host: a',
    `Authorization: Bearer ${authorization}`,
    'Content-Type: application/json',
    more,
    '',
    '',
  ].join('\r\n')
const chunk = `${mebibyte.toString(16)}\r\n${'x'.repeat(mebibyte)}\r\n`

const memoryMiB = () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${berth.pid()}/status`, 'utf8'))![1]) / 1024

describe('endless requests', { concurrency: 1 }, () => {
  const endless: [what: string, head: () => string, piece: string | Buffer, responsePattern: RegExp][] = [
    [
      'headers',
      () => 'GET /healthz HTTP/1.1\r\nHost: a\r\n',
      `X-More: ${'x'.repeat(100)}\r\n`,
      /^HTTP\/1\.1 400 [\s\S]*The headers are larger than 16 KiB/,
    ],
    [
      'one header',
      () => 'GET /healthz HTTP/1.1\r\nHost: a\r\nX-More: ',
      'x'.repeat(1000),
      /^HTTP\/1\.1 400 [\s\S]*The headers are larger than 16 KiB/,
    ],
    ['the URL', () => 'GET /', 'x'.repeat(1000), /^HTTP\/1\.1 400 [\s\S]*The headers are larger than 16 KiB/],
    [
      'a body in chunks',
      () => post(token, 'Transfer-Encoding: chunked'),
      chunk,
      /^HTTP\/1\.1 413 [\s\S]*The body is larger than 1 MiB/,
    ],
    [
      'a body with a huge Content-Length',
      () => post(token, `Content-Length: ${2 ** 50}`),
      Buffer.alloc(mebibyte, 'x'),
      /^HTTP\/1\.1 413 [\s\S]*The body is larger than 1 MiB/,
    ],
    [
      'a body without a valid token',
      () => post('berth_sess_unknown', 'Transfer-Encoding: chunked'),
      chunk,
      /^HTTP\/1\.1 401 [\s\S]*The token is missing/,
    ],
    [
      'a body of a GET request',
      () => 'GET /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n',
      chunk,
      /^HTTP\/1\.1 (?:200|413) /,
    ],
  ]
  for (const [what, head, piece, pattern] of endless) {
    test(`answers and closes: ${what}`, async () => {
      const before = memoryMiB()
      const { response, sent } = await sendOn(head(), piece, 60_000)
      assert.match(response, pattern)
      assert.ok(sent < 1024 * mebibyte, `${sent} bytes taken`)
      assert.ok(memoryMiB() < before + 200, `${before} MiB before, ${memoryMiB()} after`)
      assert.equal((await berth.call('project.all')).status, 200)
    })
  }
})

test('accepts 4,096 connections, closes further ones at once, and accepts new ones after others are closed', async (t) => {
  const sockets: Awaited<ReturnType<typeof open>>[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  let closed = 0
  for (let count = 0; count < 4200; count++) {
    const socket = await open(berth.base)
    sockets.push(
      socket
        .on('error', () => undefined)
        .on('close', () => {
          closed++
        })
        .resume(),
    )
  }
  await until('the last connections to be closed', async () => closed >= 100)
  assert.ok(closed <= 110, `${closed} were closed`)
  for (const socket of sockets) socket.destroy()
  await until('new connections to be accepted', () =>
    berth.call('project.all').then(
      ({ status }) => status === 200,
      () => false,
    ),
  )
})
