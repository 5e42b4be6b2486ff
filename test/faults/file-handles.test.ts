/**
 * Uses up all file handles of the process. Berth must serve existing connections, refuse or delay new ones, and work
 * normally when handles are free again.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../engine/until.ts'
import { dockerHost } from '../e2e/swarm.ts'
import { berthProcess } from '../e2e/process.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { open } from '../http/raw.ts'

const maxHandles = 120

/** Opens one connection and sends all requests over it. */
function openConnection(base: string, token: () => string) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const send = (path: string, input?: object) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const method = input === undefined ? 'GET' : 'POST'
      const headers = { authorization: `Bearer ${token()}`, 'content-type': 'application/json' }
      const request = http.request(`${base}${path}`, { agent, method, headers }, (response) => {
        let text = ''
        response
          .on('data', (chunk: Buffer) => {
            text += chunk.toString()
          })
          .on('end', () => resolve({ status: response.statusCode!, text }))
      })
      request.on('error', reject).end(input === undefined ? undefined : JSON.stringify(input))
    })
  return { send, close: () => agent.destroy() }
}

test('serves existing connections without free file handles, and recovers', async (t) => {
  const folder = temporaryFolder(t)
  const before = ['prlimit', `--nofile=${maxHandles}:${maxHandles}`]
  const berth = await berthProcess(folder, { DOCKER_HOST: dockerHost }, { before })
  t.after(() => berth.kill())
  await berth.start()
  await berth.signIn()
  await until('the engine', () => fetch(`${berth.base}/readyz`).then(({ ok }) => ok))
  const installation = readFileSync(join(folder, 'access-token'), 'utf8').trim()
  const sign = { email: 'ada@example.org', password: 'correct horse' }
  let token = installation
  const existing = openConnection(berth.base, () => token)
  t.after(() => existing.close())
  const signedIn = await existing.send('/api/auth.login', sign)
  token = (JSON.parse(signedIn.text) as { accessToken: string }).accessToken

  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  const handles = () => readdirSync(`/proc/${berth.pid()}/fd`).length
  let turnedAway = 0
  await until('no handle to be left', async () => {
    for (let count = 0; count < 20; count++) {
      const socket = await open(berth.base)
      sockets.push(
        socket
          .on('error', () => undefined)
          .on('close', () => {
            turnedAway++
          })
          .resume(),
      )
    }
    return turnedAway > 20 && handles() >= maxHandles
  })

  for (let count = 0; count < 20; count++) {
    const { status, text } = await existing.send('/api/project.create', { name: `project ${count}` })
    assert.equal(status, 200, text)
  }
  const ready = await existing.send('/readyz')
  assert.equal(ready.status, 503)
  assert.match(ready.text, /"path":"engine","message":"The engine does not answer: connect EMFILE/)
  const isExhausted = ({ status, text }: { status: number; text: string }) =>
    assert.deepEqual([status, /^{"message":"Berth has too many open files/.test(text)], [503, true], text)
  // The reference and the console are in memory. The S3 client is loaded at its first use, which needs a handle.
  const pages = ['/openapi.json', '/docs', '/']
  for (const page of pages) assert.equal((await existing.send(page)).status, 200, page)
  const destination = {
    name: 'd',
    provider: 'aws',
    accessKey: 'a',
    secretAccessKey: 'b',
    bucket: 'bucket',
    region: 'eu',
    endpoint: 'http://127.0.0.1:1',
  }
  isExhausted(await existing.send('/api/destination.testConnection', destination))

  for (const socket of sockets) socket.destroy()
  await until('the engine again', () =>
    fetch(`${berth.base}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  for (const page of pages) assert.equal((await fetch(`${berth.base}${page}`)).status, 200, page)
  const again = await existing.send('/api/destination.testConnection', destination)
  assert.deepEqual([again.status, /refused/.test(again.text)], [502, true], again.text)
  const { body } = await berth.call<{ name: string }[]>('project.all')
  assert.equal(body.length, 20)
  assert.equal(await berth.stop(), 0)
})
