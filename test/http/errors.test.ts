/** Error answers and their log lines. Answers contain no internal details. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBerth } from '../fixtures/harness.ts'
import { sampleOperations, secretDetail } from './sample-operations.ts'

const start = () => startBerth({ operations: sampleOperations() })

test('an internal error answers 500 with the request id, and only the log contains the cause', async () => {
  await using berth = await start()
  for (const failure of ['defect', 'thrown', 'status', 'answer']) {
    const { status, body, headers } = await berth.call('test.fail', { failure })
    const requestId = headers['x-request-id']!
    assert.equal(status, 500, failure)
    assert.deepEqual(Object.keys(body), ['message', 'code', 'issues'])
    assert.equal(body.code, 'INTERNAL_SERVER_ERROR')
    assert.ok(String(body.message).includes(requestId))
    assert.ok(!JSON.stringify(body).includes('hunter2'))
    const line = berth.logged.find(({ event, fields }) => event === 'defect' && fields.requestId === requestId)
    assert.equal(line?.fields.op, 'test.fail')
    if (failure !== 'answer') assert.ok(line?.error?.includes(secretDetail))
  }
})

test('a refusal answers its message, and only the log contains the cause', async () => {
  await using berth = await start()
  const { status, body } = await berth.call('test.fail', { failure: 'cause' })
  assert.deepEqual([status, body], [502, { message: 'The registry answered badly', code: 'BAD_GATEWAY', issues: [] }])
  assert.ok(berth.logged.some(({ event, error }) => event === 'refused' && error?.includes(secretDetail)))
})

test('429 and 503 have Retry-After in whole seconds', async () => {
  await using berth = await start()
  const limited = await berth.call('test.fail', { failure: 'limited' })
  assert.deepEqual([limited.status, limited.headers['retry-after']], [429, '1'])
  const unavailable = await berth.call('test.fail', { failure: 'unavailable' })
  assert.deepEqual([unavailable.status, unavailable.headers['retry-after']], [503, '5'])
})

test('invalid input gets one issue for each field', async () => {
  await using berth = await start()
  const { status, body } = await berth.call('test.read', { text: 'x'.repeat(21), limit: 'many' })
  assert.equal(status, 400)
  assert.deepEqual(body.issues, [
    { message: 'must have at most 20 characters', path: 'text' },
    { message: 'must be a number', path: 'limit' },
  ])
})

test('each request has one log line, without the content of the request', async () => {
  await using berth = await start()
  const { id, token } = await berth.admin()
  await berth.call('test.read', { text: 'private' }, token)
  await berth.call('test.echo', { text: 'private', more: 'private' }, token, { cookie: 'private', prefer: 'private' })
  await berth.call('test.fail', { failure: 'private' }, token)
  await berth.call('test.private', { failure: 'private' }, null)
  const lines = berth.logged
    .filter(({ event }) => event === 'request')
    .map(({ event, fields: { ms, requestId, ...rest } }) => ({ ms, requestId, rest: { event, ...rest } }))
  assert.deepEqual(
    lines.map(({ rest }) => rest),
    [
      { event: 'request', op: 'test.read', method: 'GET', status: 200, accountId: id, address: '127.0.0.1' },
      { event: 'request', op: 'test.echo', method: 'POST', status: 200, accountId: id, address: '127.0.0.1' },
      { event: 'request', op: 'test.fail', method: 'POST', status: 400, accountId: id, address: '127.0.0.1' },
      { event: 'request', op: '', method: 'POST', status: 404, address: '127.0.0.1' },
    ],
  )
  assert.ok(lines.every(({ ms }) => typeof ms === 'number' && ms >= 0))
  assert.equal(new Set(lines.map(({ requestId }) => requestId)).size, 4)
  assert.ok(!JSON.stringify(berth.logged).includes('private'))
  assert.ok(!JSON.stringify(berth.logged).includes(token))
})
