/** Requests to servers that close the connection without an answer end. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { callUrl } from './call-url.ts'
import { egressOf } from './egress.ts'
import { getText } from './get-text.ts'
import { post } from './outgoing/post.ts'

const egress = egressOf([])

const answers: [title: string, answer: string][] = [
  ['changes the protocol', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
  ['answers nothing', ''],
]
const requests: [title: string, send: (url: string) => Promise<unknown>][] = [
  ['a POST request', (url) => post(url, {}, '{}', egress, AbortSignal.timeout(5000))],
  ['a GET request for a text', (url) => getText(url, egress, 5000)],
  [
    'a call of a URL',
    async (url) => {
      const fault = await callUrl(url, egress)
      if (fault !== null) throw new Error(fault)
    },
  ],
]

for (const [answerTitle, answer] of answers) {
  for (const [title, send] of requests) {
    test(`${title} to a server that ${answerTitle} fails`, { timeout: 10_000 }, async (t) => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined).once('data', () => socket.end(answer))
      }).listen(0, '127.0.0.1')
      // Keeps the event loop alive, so that a request without an end is noticed by the limit of the test.
      t.after(() => server.close())
      await once(server, 'listening')
      await assert.rejects(send(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), /./)
    })
  }
}

test('an answer that breaks off after its status ends no process', async (t) => {
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', () => {
        socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nnot a length')
      })
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { status } = await post(url, {}, '{}', egress, AbortSignal.timeout(5000))
  assert.deepEqual([status, await callUrl(url, egress)], [200, null])
  await assert.rejects(getText(url, egress, 5000), /./)
})
