/** `berth login` sends the installation token only to a Berth that has it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { installationToken } from '../fixtures/harness.ts'
import { startCommandLine } from './cli-fixture.ts'

const cli = await startCommandLine()
after(() => cli[Symbol.asyncDispose]())
await cli.berth.app.transact((tx) => tx.deleteFrom('token').execute())
await cli.berth.app.transact((tx) => tx.deleteFrom('account').execute())

/** Signs in for the first time. @param token the content of the file with the installation token */
function login(url: string, token = installationToken) {
  const tokenFile = join(cli.folder, 'token')
  writeFileSync(tokenFile, token)
  const args = ['login', url, '--email', 'first@example.org', '--token-file', tokenFile]
  return cli.command(args, { BERTH_PASSWORD: 'correct horse battery' })
}

/** Listens on a port as a program of somebody else. @returns its URL and the requests that it got, as text */
async function listen(
  t: TestContext,
  host: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  port = 0,
) {
  const received: string[] = []
  const server = createServer((got, response) => {
    received.push(`${got.method} ${got.url} ${JSON.stringify(got.rawHeaders)}`)
    answer(got, response)
  })
  t.after(() => server.close().closeAllConnections())
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  return { url: `http://${host}:${(server.address() as AddressInfo).port}`, received }
}

const ready = JSON.stringify({ store: 'ok', engine: 'ok', accounts: 'none' })
const proofs: [program: string, answer: (response: ServerResponse) => void][] = [
  ['answers 404', (response) => response.writeHead(404).end('{}')],
  ['answers no JSON', (response) => response.end('ok')],
  ['answers null', (response) => response.end('null')],
  ['answers an empty proof', (response) => response.end('{"address":"127.0.0.1 1","proof":""}')],
  [
    'guesses a proof',
    (response) => response.end(JSON.stringify({ address: '', proof: randomBytes(32).toString('hex') })),
  ],
  ['answers without end', (response) => response.write('x'.repeat(100_000))],
]

for (const [program, answer] of proofs) {
  test(`a program that ${program} gets no token`, async (t) => {
    const { url, received } = await listen(t, '127.0.0.1', (got, response) =>
      got.url === '/readyz' ? response.end(ready) : answer(response),
    )
    const { status, stderr } = await login(url)
    assert.equal(status, 4, stderr)
    assert.match(stderr, /does not have this installation token, so the token was not sent to it\nStart Berth\./)
    assert.equal(received.length, 2)
    assert.ok(received.every((text) => !text.includes(installationToken)))
  })
}

/** Passes all requests on to Berth, as it got them. */
const passOn = (got: IncomingMessage, response: ServerResponse) => {
  const { method = 'GET', url = '/', headers } = got
  const { port } = new URL(cli.url)
  const sent = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(response)
  })
  got.pipe(sent)
}

test('a program that passes the question on to Berth gets no token', async (t) => {
  const places: [host: string, port: number][] = [
    ['127.0.0.1', 0],
    ['127.0.0.2', Number(new URL(cli.url).port)],
  ]
  for (const [host, port] of places) {
    const { url, received } = await listen(t, host, passOn, port)
    const { status, stderr } = await login(url)
    assert.equal(status, 4, stderr)
    assert.match(stderr, /A program between .* and Berth could read the installation token/)
    assert.ok(received.length === 2 && received.every((text) => !text.includes(installationToken)))
  }
})

test('a Berth of another installation gets no token', async () => {
  const token = randomBytes(32).toString('base64url')
  const { status, stderr } = await login(cli.url, token)
  assert.deepEqual([status, /does not have this installation token/.test(stderr)], [4, true], stderr)
})

test('Berth proves that it has the token only to a good question, and only before the first account exists', async () => {
  const ask = async (nonce: string) => (await fetch(`${cli.url}/proof?nonce=${nonce}`)).status
  const nonce = randomBytes(32).toString('base64url')
  const others = ['', 'short', `${nonce}x`, `${nonce.slice(1)}%0a`, `${nonce}&nonce=${nonce}`]
  for (const other of others) assert.equal(await ask(other), 400, other)
  assert.equal(await ask(nonce), 200)
  const { status, stderr } = await login(cli.url)
  assert.equal(status, 0, stderr)
  assert.equal(await ask(nonce), 409)
})
