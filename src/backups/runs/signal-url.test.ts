/** Calls of a signalUrl on local servers: the requests that the servers receive, and the log entry of a failure. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { type LoggedLine, fakeLog } from '../../../test/fixtures/fake-log.ts'
import { egressOf } from '../../lib/net/egress.ts'
import { callSignalUrl } from './signal-url.ts'

interface ReceivedRequest {
  url: string
  authorization: string | undefined
}

/** A server that records requests; `answer` sends the response. */
async function listen(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const requests: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    requests.push({ url: request.url!, authorization: request.headers.authorization })
    answer(response, request)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    requests,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const good = (response: ServerResponse) => void response.end('OK')
const to =
  (location: string, status = 302) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { location }).end()

async function logged(url: string): Promise<LoggedLine[]> {
  const lines: LoggedLine[] = []
  await callSignalUrl({ config: { egress: egressOf([]) }, log: fakeLog(lines) }, 'run-1', url)
  return lines
}

test('sends the user and the password of a stored URL in a header', async () => {
  await using watch = await listen(good)
  assert.deepEqual(await logged(`http://us%40er:p%3Ass%zz@127.0.0.1:${watch.port}/alive?a=b#c`), [])
  const authorization = `Basic ${Buffer.from('us@er:p:ss%zz').toString('base64')}`
  assert.deepEqual(watch.requests, [{ url: '/alive?a=b', authorization }])
})

test('follows a redirect without sending the password to another server', async () => {
  await using end = await listen(good)
  await using watch = await listen((response, { url }) =>
    to(url === '/a' ? '/b' : `http://x:y@127.0.0.1:${end.port}/c`, 307)(response),
  )
  assert.deepEqual(await logged(`http://user:pass@127.0.0.1:${watch.port}/a`), [])
  const authorization = `Basic ${Buffer.from('user:pass').toString('base64')}`
  assert.deepEqual(watch.requests, [
    { url: '/a', authorization },
    { url: '/b', authorization },
  ])
  assert.deepEqual(end.requests, [{ url: '/c', authorization: undefined }])
})

const failures: [what: string, answer: (response: ServerResponse) => void, reason: RegExp][] = [
  [
    'answers with an error',
    (response) => void response.writeHead(401).end(),
    /^The server answered with HTTP status 401$/,
  ],
  ['redirects without end', to('/on'), /^The request was redirected more than 5 times$/],
  ['redirects to a file', to('file:///etc/passwd'), /a URL that is not http\(s\)$/],
  [
    'redirects to a metadata service',
    to('http://169.254.169.254/latest/meta-data/'),
    /^169\.254\.169\.254 is a link-local address or .* BERTH_EGRESS_ALLOW=169\.254\.169\.254$/,
  ],
  [
    'redirects to a metadata service in another notation',
    to('//0xa9.254.43518:80/'),
    /^169\.254\.169\.254 is a link-local address/,
  ],
  ['breaks the connection', (response) => void response.destroy(), /^No answer \(ECONNRESET\)$/],
]
for (const [what, answer, reason] of failures) {
  test(`logs the run and the reason but not the URL if the server ${what}`, async () => {
    await using watch = await listen(answer)
    const [line, ...others] = await logged(`http://user:hidden-password@127.0.0.1:${watch.port}/hidden-path`)
    assert.deepEqual([line!.level, line!.fields.runId, others], ['warn', 'run-1', []])
    assert.match(String(line!.fields.reason), reason)
    assert.doesNotMatch(JSON.stringify(line), /hidden|user|127\.0\.0\.1/)
  })
}

test('logs a refused connection', async () => {
  const watch = await listen(good)
  await watch[Symbol.asyncDispose]()
  const [line] = await logged(`http://a:b@127.0.0.1:${watch.port}/`)
  assert.equal(line!.fields.reason, 'No answer (ECONNREFUSED)')
})
