/** POST requests to receivers. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { egressOf } from '../egress.ts'
import { post, retryAfterOf } from './post.ts'

const now = new Date('2030-01-01T00:00:00.000Z')
const cases: [text: string | undefined, ms: number | null][] = [
  [undefined, null],
  ['120', 120_000],
  ['Tue, 01 Jan 2030 00:01:00 GMT', 60_000],
  ['Tue, 01 Jan 2019 00:01:00 GMT', 0],
  ['soon', null],
]
for (const [text, ms] of cases) {
  test(`Retry-After ${text} means ${ms} ms`, () => assert.equal(retryAfterOf(text, now), ms))
}

test('sends the body, follows no redirect and reads only the beginning of the answer', async (t) => {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    bodies.push(`${request.method} ${(await request.toArray()).join('')}`)
    response.writeHead(307, { location: 'http://127.0.0.1:9/', 'retry-after': '3' }).end('x'.repeat(100_000))
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const answer = await post(url, {}, '{"é":1}', egressOf([]), AbortSignal.timeout(5000))
  assert.deepEqual(answer, { status: 307, retryAfterMs: 3000, text: 'x'.repeat(1000) })
  assert.deepEqual(bodies, ['POST {"é":1}'])
})
