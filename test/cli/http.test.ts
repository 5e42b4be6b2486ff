/** The requests of the command line: the client gets from them what it gets from `fetch`. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createClient } from '../../client/client.ts'
import { fetchByHttp } from '../../cli/connection/http.ts'
import { refusal } from '../client/refusal.ts'
import { openRelay } from '../client/relay.ts'
import { freePort } from '../fixtures/free-port.ts'
import { startBerth } from '../fixtures/harness.ts'

const berth = await startBerth()
after(() => berth.close())
const url = await berth.listen()
const { token } = await berth.admin()
const clientOf = (base: string, retries = 0) => createClient({ url: base, token, fetch: fetchByHttp, retries })
const client = clientOf(url)

test('reads answers, pages and refusals', async () => {
  for (const name of ['Zürich', 'Genève', '東京']) await client.project.create({ name })
  const names: string[] = []
  for await (const { name } of client.project.all.each({ limit: 2 })) names.push(name)
  assert.deepEqual(names, ['Zürich', 'Genève', '東京'])
  const error = await refusal(client.project.create({ name: '' }))
  assert.deepEqual([error.code, error.issues.length, error.requestId !== null], ['BAD_REQUEST', 1, true])
})

test('reports a server that is away, and an answer that breaks', async (t) => {
  const closed = clientOf(`http://127.0.0.1:${await freePort()}`)
  assert.match((await refusal(closed.project.all())).message, /does not answer: .*ECONNREFUSED/)
  const relay = await openRelay(t, url)
  relay.cutNext('half of the body', 'nothing')
  assert.equal((await refusal(clientOf(relay.url).project.all())).code, 'CONNECTION_LOST')
  assert.equal((await clientOf(relay.url, 1).project.all()).length, 3)
})

test('follows the events and aborts', async () => {
  const abort = new AbortController()
  const connected = Promise.withResolvers<void>()
  const onConnection = () => connected.resolve()
  const events = client.events({ kinds: ['project'] }, { signal: abort.signal, onConnection })
  const next = events.next()
  await connected.promise
  await client.project.create({ name: 'followed' })
  const { value } = await next
  assert.equal(value?.type === 'change' && value.record.name, 'followed')
  abort.abort(new Error('enough'))
  await assert.rejects(events.next(), /^Error: enough$/)
  await assert.rejects(client.project.all({}, { signal: abort.signal }), /^Error: enough$/)
})
