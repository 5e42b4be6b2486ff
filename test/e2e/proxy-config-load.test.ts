/** Requests to a real Caddy while its rules change. */
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { behind, rule, startApplication, startProxy } from './caddy.ts'

test('200 changes of the rules fail none of 200 requests a second', async () => {
  await using application = await startApplication()
  await using proxy = await startProxy()
  const change = (i: number) =>
    proxy.loadRules([behind(application.dial, { redirects: [rule('/now$', `https://x.example/${i}`)] })])
  await change(0)
  const failures: string[] = []
  const agents = [new Agent({ keepAlive: true, maxSockets: 20 }), false as const]
  const pending = new Set<Promise<void>>()
  const send = (i: number) =>
    new Promise<void>((resolve) => {
      const [method, body] = i % 4 < 2 ? ['GET', ''] : ['POST', 'x'.repeat(i % 3_000)]
      const outgoing = request(
        {
          host: '127.0.0.1',
          port: proxy.httpPort,
          path: '/',
          method,
          agent: agents[i % 2]!,
          headers: { host: 'a.example', 'content-length': body.length },
        },
        (response) => {
          if (response.statusCode !== 200) failures.push(`${method} ${response.statusCode}`)
          response.resume().on('close', resolve)
        },
      )
      outgoing
        .on('error', (error) => {
          failures.push(`${method} ${error.message}`)
          resolve()
        })
        .end(body)
    })
  let count = 0
  const startMs = performance.now()
  using load = setInterval(() => {
    for (; count < (performance.now() - startMs) / 5; count += 1) {
      const sent = send(count)
      pending.add(sent)
      void sent.then(() => pending.delete(sent))
    }
  }, 5)
  for (let i = 1; i <= 200; i += 1) {
    await change(i)
    assert.equal((await proxy.get('http://a.example/now')).headers.location, `https://x.example/${i}`)
    await pause(10)
  }
  clearInterval(load)
  await Promise.all(pending)
  if (agents[0]) agents[0].destroy()
  assert.deepEqual(failures, [])
  assert.ok(count > 400 && application.requestCount() === count, `${application.requestCount()} of ${count}`)
})
