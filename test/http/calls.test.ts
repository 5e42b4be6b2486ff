/** Bodies, query parameters and headers of calls, and the headers of answers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBerth } from '../fixtures/harness.ts'
import { sampleOperations } from './sample-operations.ts'

const start = () => startBerth({ operations: sampleOperations() })

test('an operation without input accepts no body, an empty body and {}, with any JSON content type', async () => {
  await using berth = await start()
  const authorization = `Bearer ${(await berth.admin()).token}`
  for (const payload of [undefined, '', '{}', ' {} ']) {
    for (const type of [undefined, 'application/json', 'application/json; charset=utf-8']) {
      const headers = { authorization, ...(type === undefined ? {} : { 'content-type': type }) }
      const body = payload === undefined ? {} : { payload }
      const response = await berth.server.inject({ method: 'POST', url: '/api/test.none', headers, ...body })
      assert.equal(response.statusCode, 200, `${payload} as ${type}: ${response.body}`)
    }
  }
  const form = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
  const empty = await berth.server.inject({ method: 'POST', url: '/api/test.none', headers: form, payload: '' })
  assert.equal(empty.statusCode, 200, 'curl -d "" sends this')
})

test('accepts a body of 1 MiB and answers 413 to a larger one', async () => {
  await using berth = await start()
  const headers = { authorization: `Bearer ${(await berth.admin()).token}`, 'content-type': 'application/json' }
  const bodyOf = (bytes: number) => `{"x":"${'x'.repeat(bytes - 8)}"}`
  const send = (payload: string) => berth.server.inject({ method: 'POST', url: '/api/test.echo', headers, payload })
  assert.equal((await send(bodyOf(1024 * 1024))).statusCode, 200)
  const refused = await send(bodyOf(1024 * 1024 + 1))
  assert.equal(refused.statusCode, 413)
  assert.deepEqual(refused.json(), { message: 'The body is larger than 1 MiB', code: 'PAYLOAD_TOO_LARGE', issues: [] })
})

test('validates query parameters and refuses repeated ones', async () => {
  await using berth = await start()
  const headers = { authorization: `Bearer ${(await berth.admin()).token}` }
  const get = (search: string) => berth.server.inject({ method: 'GET', url: `/api/test.read?${search}`, headers })
  assert.deepEqual((await get('text=a%20b&limit=7')).json(), { text: 'a b', limit: 7 })
  assert.deepEqual((await get('text=a+b')).json(), { text: 'a b' })
  const cases: [string, string[]][] = [
    ['text=a&text=a', ['text']],
    ['text=a&limit=1&limit=2&text=b', ['text', 'limit']],
    ['', ['text']],
    ['text=', ['text']],
    ['text=a&limit=x', ['limit']],
    ['text[]=a', ['text']],
    ['text[a]=a', ['text']],
    ['__proto__=a', ['text']],
  ]
  for (const [search, paths] of cases) {
    const response = await get(search)
    assert.equal(response.statusCode, 400, search)
    assert.deepEqual(
      response.json().issues.map((issue: { path: string }) => issue.path),
      paths,
      search,
    )
  }
})

test('ignores unknown fields and lists them in a header', async () => {
  await using berth = await start()
  const ignoredFields = async (input: Record<string, unknown>) =>
    (await berth.call('test.echo', input)).headers['berth-ignored-fields']
  assert.equal(await ignoredFields({ text: 'a' }), undefined)
  assert.equal(await ignoredFields({ text: 'a', b: 1, 'c,d': null }), 'b, c%2Cd')
  assert.equal(await ignoredFields(JSON.parse('{"__proto__": {"text": "b"}}') as Record<string, unknown>), '__proto__')
  assert.match((await berth.call('test.read', { text: 'a', 'x\ny': 1 })).headers['berth-ignored-fields']!, /^x%0Ay$/)
})

test('answers the cursor of the next page in a header', async () => {
  await using berth = await start()
  assert.equal((await berth.call('test.read', { text: 'a', cursor: '01a-b' })).headers['berth-next-cursor'], '01a-b')
  assert.equal((await berth.call('test.read', { text: 'a' })).headers['berth-next-cursor'], undefined)
})

test('every answer has a generated request id, no-store and nosniff', async () => {
  await using berth = await start()
  const ids = new Set<string>()
  for (const [url, method] of [
    ['/api/test.none', 'POST'],
    ['/api/test.none', 'GET'],
    ['/nothing', 'GET'],
    ['/healthz', 'GET'],
    ['/metrics', 'GET'],
  ] as const) {
    const { headers } = await berth.server.inject({ method, url, headers: { 'x-request-id': 'from the client' } })
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    ids.add(String(headers['x-request-id']))
  }
  assert.equal(ids.size, 5)
  assert.ok(!ids.has('from the client'))
})

test('Prefer: wait waits for the work, answers Preference-Applied, and Berth-Pending if the work goes on', async () => {
  await using berth = await start()
  const work = (state: string, prefer?: string) =>
    berth.call('test.work', { state }, undefined, prefer === undefined ? {} : { prefer })
  const table = [
    ['done', undefined, 200, 'running', undefined, undefined],
    ['done', 'wait=5', 200, 'settled', 'wait=5', undefined],
    ['done', 'respond-async, Wait="900"', 200, 'settled', 'wait=600', undefined],
    ['running', 'wait=1', 200, 'settled', 'wait=1', 'true'],
    ['done', 'wait=x', 200, 'running', undefined, undefined],
    ['error', 'wait=5', 422, undefined, undefined, undefined],
    ['superseded', 'wait=5', 409, undefined, undefined, undefined],
  ] as const
  for (const [state, prefer, status, expectedState, expectedHeader, pending] of table) {
    const { body, headers, ...reply } = await work(state, prefer)
    assert.deepEqual(
      [reply.status, body.state, headers['preference-applied'], headers['berth-pending']],
      [status, expectedState, expectedHeader, pending],
      `${state} ${prefer}`,
    )
    if (status === 422) assert.deepEqual([body.message, body.reason], ['it crashed', 'CopyFailed'])
  }
  assert.equal(
    (await berth.call('test.none', {}, undefined, { prefer: 'wait=5' })).headers['preference-applied'],
    undefined,
  )
})

test('a repeated Idempotency-Key gets the first answer, and a malformed one is refused', async () => {
  await using berth = await start()
  const none = (key: string) => berth.call<{ count: number }>('test.none', {}, undefined, { 'idempotency-key': key })
  const first = await none('one')
  assert.deepEqual((await none('one')).body, first.body)
  assert.notDeepEqual((await none('two')).body, first.body)
  assert.equal((await none('x'.repeat(255))).status, 200)
  for (const key of ['x'.repeat(256), '', 'ü', 'a\tb']) {
    const { status, body } = await none(key)
    assert.equal(status, 400, key)
    assert.deepEqual(
      (body as unknown as { issues: { path: string }[] }).issues.map(({ path }) => path),
      ['Idempotency-Key'],
    )
  }
  assert.equal((await berth.call('test.read', { text: 'a' }, undefined, { 'idempotency-key': '' })).status, 200)
})
