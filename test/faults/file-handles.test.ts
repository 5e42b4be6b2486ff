/**
 * All handles that the process may have are used up: connections that are there are served on, new ones are turned
 * away or wait, and once there are handles again nothing is left broken.
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

const most = 120

/** One connection that is kept, and what is asked over it. */
function keptConnection(base: string, token: () => string) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (path: string, input?: object) =>
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
  return { ask, close: () => agent.destroy() }
}

test('all handles used up', async (t) => {
  const folder = temporaryFolder(t)
  const before = ['prlimit', `--nofile=${most}:${most}`]
  const berth = await berthProcess(folder, { DOCKER_HOST: dockerHost }, { before })
  t.after(() => berth.kill())
  await berth.start()
  await berth.signIn()
  await until('the engine', () => fetch(`${berth.base}/readyz`).then(({ ok }) => ok))
  const installation = readFileSync(join(folder, 'access-token'), 'utf8').trim()
  const sign = { email: 'ada@example.org', password: 'correct horse' }
  let token = installation
  const kept = keptConnection(berth.base, () => token)
  t.after(() => kept.close())
  const signedIn = await kept.ask('/api/auth.login', sign)
  token = (JSON.parse(signedIn.text) as { accessToken: string }).accessToken

  const held: Socket[] = []
  t.after(() => {
    for (const socket of held) socket.destroy()
  })
  const handles = () => readdirSync(`/proc/${berth.pid()}/fd`).length
  let turnedAway = 0
  await until('no handle to be left', async () => {
    for (let count = 0; count < 20; count++) {
      const socket = await open(berth.base)
      held.push(
        socket
          .on('error', () => undefined)
          .on('close', () => {
            turnedAway++
          })
          .resume(),
      )
    }
    return turnedAway > 20 && handles() >= most
  })

  for (let count = 0; count < 20; count++) {
    const { status, text } = await kept.ask('/api/project.create', { name: `project ${count}` })
    assert.equal(status, 200, text)
  }
  const ready = await kept.ask('/readyz')
  assert.equal(ready.status, 503)
  assert.match(ready.text, /"path":"engine","message":"The engine does not answer: connect EMFILE/)
  const isExhausted = ({ status, text }: { status: number; text: string }) =>
    assert.deepEqual([status, /^{"message":"Berth has too many open files/.test(text)], [503, true], text)
  // The reference is in memory. The S3 client is loaded at its first use, which needs a handle.
  const pages = ['/openapi.json', '/docs']
  for (const page of pages) assert.equal((await kept.ask(page)).status, 200, page)
  const destination = {
    name: 'd',
    provider: 'aws',
    accessKey: 'a',
    secretAccessKey: 'b',
    bucket: 'bucket',
    region: 'eu',
    endpoint: 'http://127.0.0.1:1',
  }
  isExhausted(await kept.ask('/api/destination.testConnection', destination))

  for (const socket of held) socket.destroy()
  await until('the engine again', () =>
    fetch(`${berth.base}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  for (const page of pages) assert.equal((await fetch(`${berth.base}${page}`)).status, 200, page)
  const again = await kept.ask('/api/destination.testConnection', destination)
  assert.deepEqual([again.status, /refused/.test(again.text)], [502, true], again.text)
  const { body } = await berth.call<{ name: string }[]>('project.all')
  assert.equal(body.length, 20)
  assert.equal(await berth.stop(), 0)
})
