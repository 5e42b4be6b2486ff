/**
 * Opens 2,000 connections that send a byte per second or nothing. Other calls must be answered as usual, and Berth must
 * answer and close the slow connections in limited time.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../engine/until.ts'
import { berthProcess } from '../e2e/process.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { open } from '../http/raw.ts'

const second = 1000
const noEngine = { DOCKER_HOST: 'unix:///nowhere/docker.sock' }

interface Slow {
  socket: Socket
  response: string
  isClosed: boolean
}

async function openSlow(url: string, head: string): Promise<Slow> {
  const slow: Slow = { socket: await open(url), response: '', isClosed: false }
  slow.socket
    .on('data', (chunk: Buffer) => {
      slow.response += chunk.toString()
    })
    .on('error', () => undefined)
    .on('close', () => {
      slow.isClosed = true
    })
  if (head !== '') slow.socket.write(head)
  return slow
}

const openMany = async (url: string, count: number, head: string) => {
  const all: Slow[] = []
  for (let at = 0; at < count; at++) all.push(await openSlow(url, head))
  return all
}

const allClosed = (what: string, slows: Slow[], boundMs: number) =>
  until(what, async () => slows.every(({ isClosed }) => isClosed), boundMs)

test('answers calls during 2,000 slow connections', async (t) => {
  const folder = temporaryFolder(t)
  const berth = await berthProcess(folder, noEngine)
  t.after(() => berth.kill())
  await berth.start()
  await berth.signIn()
  const { body: project } = await berth.call<{ projectId: string }>('project.create', { name: 'first' })
  const handles = () => readdirSync(`/proc/${berth.pid()}/fd`).length
  const handlesBefore = handles()
  const token = readFileSync(join(folder, 'access-token'), 'utf8').trim()

  const head = `POST /api/auth.login HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n`
  const [silent, heads, bodies, chunked] = [
    await openMany(berth.base, 500, ''),
    await openMany(berth.base, 500, `${head}X-Slow: `),
    await openMany(berth.base, 500, `${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`),
    await openMany(berth.base, 500, `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`),
  ]
  const drip = setInterval(() => {
    for (const { socket } of [...heads, ...bodies]) if (socket.writable) socket.write('x')
    for (const { socket } of chunked) if (socket.writable) socket.write('1\r\n \r\n')
  }, second)
  t.after(() => clearInterval(drip))

  let calls = 0
  const calling = new AbortController()
  t.after(() => calling.abort())
  const called = (async () => {
    while (!calling.signal.aborted) {
      const name = `name ${++calls}`
      const [{ status, body }, read, healthy] = await Promise.all([
        berth.call<{ name: string }>('project.update', { projectId: project.projectId, name }),
        berth.call<{ projectId: string }>('project.one', { projectId: project.projectId }),
        fetch(`${berth.base}/healthz`),
      ])
      assert.deepEqual(
        [status, body.name, read.status, read.body.projectId, healthy.status],
        [200, name, 200, project.projectId, 200],
      )
    }
  })()

  await allClosed('connections without a request to end', [...silent, ...heads], 40 * second)
  assert.ok(
    [...bodies, ...chunked].every(({ isClosed }) => !isClosed),
    'a body has more time than headers',
  )
  await allClosed('bodies that never end to end', [...bodies, ...chunked], 90 * second)
  for (const { response } of [...heads, ...bodies, ...chunked]) {
    assert.match(response, /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*The request did not arrive in time/)
  }
  calling.abort()
  await called
  assert.ok(calls > 10, `${calls} calls`)
  await until('the handles to be closed', async () => handles() <= handlesBefore + 10)
  assert.equal(await berth.stop(), 0)
})
