/** Tests of the typed client against a Berth that listens on a port. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { BerthError, type Change, createClient } from '../../client/client.ts'
import { startBerth } from '../fixtures/harness.ts'

const berth = await startBerth()
after(() => berth.close())
const url = await berth.listen()
const { token } = await berth.admin()
const client = createClient({ url, token })

const refusal = (call: Promise<unknown>): Promise<BerthError> =>
  call.then(
    () => assert.fail('the call was not refused'),
    (error: unknown) => (error instanceof BerthError ? error : Promise.reject(error)),
  )

test('calls an operation and answers its record', async () => {
  const project = await client.project.create({ name: 'shop' })
  assert.equal((await client.project.one({ projectId: project.projectId })).name, 'shop')
})

test('waits for the end of the work', async () => {
  const { projectId } = await client.project.create({ name: 'wait' })
  const settings = { databaseName: 'o', databaseUser: 'o', databasePassword: 'a-good-password' }
  const { postgresId } = await client.postgres.create({ name: 'o', appName: 'o', projectId, ...settings })
  const deployed = await client.postgres.deploy({ postgresId }, { wait: 60 })
  assert.equal(deployed.applicationStatus, 'done')
})

test('throws a refusal with its code, issues and the id of the request', async () => {
  const error = await refusal(client.project.create({ name: '' }))
  assert.deepEqual(
    [error.code, error.status, error.issues],
    ['BAD_REQUEST', 400, [{ path: 'name', message: 'must not be empty' }]],
  )
  assert.match(error.requestId ?? '', /^\w+-\d+$/)
})

test('gives the records of all pages', async () => {
  for (let i = 0; i < 5; i++) await client.project.create({ name: `page ${i}` })
  const names: string[] = []
  for await (const { name } of client.project.all.each({ limit: 2 })) names.push(name)
  assert.deepEqual(
    names,
    (await client.project.all()).map(({ name }) => name),
  )
  assert.ok(names.length >= 5)
})

test('carries out a change once when the first answer is lost', async () => {
  let calls = 0
  const lossy: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (++calls === 1) throw new TypeError('fetch failed', { cause: new Error('the connection was cut') })
    return response
  }
  const { projectId } = await createClient({ url, token, fetch: lossy }).project.create({ name: 'once' })
  const all = await client.project.all()
  assert.deepEqual([calls, all.filter(({ name }) => name === 'once').map((each) => each.projectId)], [2, [projectId]])
})

test('reports a server that is away, and one that is not Berth', async (t) => {
  const unreachable = createClient({ url: 'http://127.0.0.1:9', token, retries: 0 })
  assert.deepEqual((await refusal(unreachable.project.all())).code, 'CONNECTION_LOST')
  const other = createServer((_request, response) => response.writeHead(404).end('<html>'))
  t.after(() => other.close())
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  const notBerth = createClient({ url: `http://127.0.0.1:${port}`, token })
  assert.deepEqual((await refusal(notBerth.project.all())).code, 'NOT_BERTH')
})

test('aborts a call', async () => {
  const abort = new AbortController()
  const call = client.project.all({}, { signal: abort.signal })
  abort.abort(new Error('no longer of interest'))
  await assert.rejects(call, /no longer of interest/)
})

test('follows the changes and goes on after the connection broke', async () => {
  const abort = new AbortController()
  const connected = Promise.withResolvers<void>()
  const changes: Change[] = []
  let cut: AbortController | null = null
  const breakable: typeof fetch = (input, init) => {
    cut = new AbortController()
    return fetch(input, { ...init, signal: AbortSignal.any([cut.signal, abort.signal]) })
  }
  const stream = createClient({ url, token, fetch: breakable }).events(
    { kinds: ['project'] },
    { signal: abort.signal, onConnection: (isConnected) => isConnected && connected.resolve() },
  )
  const reading = (async () => {
    for await (const each of stream) {
      assert.equal(each.type, 'change')
      changes.push(each as Change)
      if (changes.length === 1) cut!.abort()
      if (changes.length === 3) return
    }
  })()
  await connected.promise
  for (const name of ['first', 'second', 'third']) {
    await client.project.create({ name })
    if (name === 'first') await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await reading
  abort.abort()
  assert.deepEqual(
    changes.map(({ record }) => record.name),
    ['first', 'second', 'third'],
  )
})
