/** What the typed client does when a connection is lost, and when its caller aborts. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Client, createClient } from '../../client/client.ts'
import { type MemoryEngine, memoryEngine } from '../engine/memory/engine.ts'
import { until } from '../engine/until.ts'
import { freePort } from '../fixtures/free-port.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { startBerth } from '../fixtures/harness.ts'
import { refusal, webServer } from './refusal.ts'
import { openRelay } from './relay.ts'

const berth = await startBerth()
after(() => berth.close())
const url = await berth.listen()
const { token } = await berth.admin()
const client = createClient({ url, token })

/** The number of requests for an operation that Berth has answered. */
const called = (name: string) =>
  berth.logged.filter(({ event, fields }) => event === 'request' && fields.op === name).length
const projectsNamed = async (wanted: string) => (await client.project.all()).filter(({ name }) => name === wanted)

for (const cut of ['nothing', 'half of the body'] as const) {
  test(`carries out a change once if ${cut} of the answer arrives`, async (t) => {
    const relay = await openRelay(t, url)
    relay.cutNext(cut, cut)
    const before = called('project.create')
    const { projectId } = await createClient({ url: relay.url, token }).project.create({ name: cut })
    assert.equal(called('project.create') - before, 3)
    assert.deepEqual(
      (await projectsNamed(cut)).map((each) => each.projectId),
      [projectId],
    )
  })
}

test('gives up after the last attempt, and the change was carried out once', async (t) => {
  const relay = await openRelay(t, url)
  relay.cutNext('half of the body', 'half of the body')
  const { code, status } = await refusal(
    createClient({ url: relay.url, token, retries: 1 }).project.create({ name: 'given up' }),
  )
  assert.deepEqual([code, status], ['CONNECTION_LOST', 0])
  assert.equal((await projectsNamed('given up')).length, 1)
})

test('sends the key of the caller, so that a later call gets the same answer', async () => {
  const once = () => client.project.create({ name: 'keyed' }, { idempotencyKey: 'k-1' })
  assert.deepEqual(await once(), await once())
  assert.equal((await projectsNamed('keyed')).length, 1)
})

test('does not repeat a sign-in, because Berth ignores its key', async (t) => {
  const relay = await openRelay(t, url)
  relay.cutNext('nothing')
  const before = called('auth.login')
  const error = await refusal(
    createClient({ url: relay.url, token: berth.installation }).auth.login({
      email: 'a@example.org',
      password: 'wrong',
    }),
  )
  assert.equal(error.code, 'CONNECTION_LOST')
  await until('the log', async () => called('auth.login') > before)
  assert.equal(called('auth.login') - before, 1)
  assert.equal(relay.connections(), 1)
})

test('repeats a request while a proxy in front of Berth finds no server', async (t) => {
  let count = 0
  const proxy = await webServer(t, (_request, response) => {
    if (++count < 3) response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>')
    else response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
  })
  assert.deepEqual(await createClient({ url: proxy, token }).project.all(), [])
  assert.equal(count, 3)
})

async function newDatabase(client: Client) {
  const { projectId } = await client.project.create({ name: 'work' })
  const settings = { databaseName: 'o', databaseUser: 'o', databasePassword: 'a-good-password' }
  return client.postgres.create({ name: 'orders', appName: 'orders', projectId, ...settings })
}

/** A Berth whose engine can be down, and that can be started again with the same data and port. */
async function restartable() {
  const end = new AsyncDisposableStack()
  const folder = folderUnder(end)
  const port = await freePort()
  let engine: MemoryEngine | undefined
  const start = async () => {
    const started = await startBerth({ folder, connect: (id) => (engine ??= memoryEngine(id)) })
    await started.server.listen({ host: '127.0.0.1', port })
    return started
  }
  let berth = await start()
  end.defer(() => berth.close())
  const { token } = await berth.admin()
  return {
    client: createClient({ url: `http://127.0.0.1:${port}`, token, retries: 10 }),
    setDown: (isDown: boolean) => engine!.setDown(isDown),
    async restart() {
      // Berth does this first when it gets a signal to stop.
      berth.app.releaseWaits()
      await berth.close()
      berth = await start()
    },
    [Symbol.asyncDispose]: () => end.disposeAsync(),
  }
}

const untilDeploying = (client: Client) =>
  until('the deployment', async () => (await client.deployment.all()).length === 1)

test('goes on waiting when Berth is started again', async () => {
  await using own = await restartable()
  const { client, setDown } = own
  setDown(true)
  const { postgresId } = await newDatabase(client)
  const deployed = client.postgres.deploy({ postgresId }, { wait: 60 })
  await untilDeploying(client)
  await own.restart()
  setDown(false)
  assert.equal((await deployed).applicationStatus, 'done')
  assert.equal((await client.deployment.all()).length, 1)
})

test('aborts a wait with the reason of the signal, and the work goes on', async () => {
  await using own = await restartable()
  const { client, setDown } = own
  setDown(true)
  const { postgresId } = await newDatabase(client)
  const abort = new AbortController()
  const deployed = client.postgres.deploy({ postgresId }, { wait: 60, signal: abort.signal })
  await untilDeploying(client)
  abort.abort(new Error('enough'))
  await assert.rejects(deployed, /^Error: enough$/)
  setDown(false)
  await until('the end', async () => (await client.postgres.one({ postgresId })).applicationStatus === 'done')
})

test('aborts before the request, and during the pause before it is repeated', async () => {
  const abort = new AbortController()
  const unreachable = createClient({
    url: `http://127.0.0.1:${await freePort()}`,
    fetch: (...request) => fetch(...request).finally(() => setImmediate(() => abort.abort(new Error('enough')))),
  })
  await assert.rejects(unreachable.project.all({}, { signal: abort.signal }), /^Error: enough$/)
  const before = called('project.all')
  await assert.rejects(client.project.all({}, { signal: abort.signal }), /^Error: enough$/)
  assert.equal(called('project.all'), before)
})

test('aborts between the records of a page', async () => {
  for (const name of ['one', 'two', 'three']) await client.project.create({ name })
  const abort = new AbortController()
  const names: string[] = []
  const reading = (async () => {
    for await (const { name } of client.project.all.each({ limit: 2 }, { signal: abort.signal })) {
      names.push(name)
      abort.abort(new Error('enough'))
    }
  })()
  await assert.rejects(reading, /^Error: enough$/)
  assert.equal(names.length, 1)
})
