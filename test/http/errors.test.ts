/** Error answers and their log lines, and that answers contain no internal details. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBerth } from '../fixtures/harness.ts'
import { sampleOperations, secretDetail } from './sample-operations.ts'

const start = () => startBerth({ operations: sampleOperations() })

test('a defect is 500, names the request id, and its cause is in the log alone', async () => {
  await using berth = await start()
  for (const how of ['defect', 'thrown', 'status', 'answer']) {
    const { status, body, headers } = await berth.call('test.fail', { how })
    const requestId = headers['x-request-id']!
    assert.equal(status, 500, how)
    assert.deepEqual(Object.keys(body), ['message', 'code', 'issues'])
    assert.equal(body.code, 'INTERNAL_SERVER_ERROR')
    assert.ok(String(body.message).includes(requestId))
    assert.ok(!JSON.stringify(body).includes('hunter2'))
    const line = berth.logged.find(({ event, fields }) => event === 'defect' && fields.requestId === requestId)
    assert.equal(line?.fields.op, 'test.fail')
    if (how !== 'answer') assert.ok(line?.error?.includes(secretDetail))
  }
})

test('a refusal answers its sentence, and its cause is in the log alone', async () => {
  await using berth = await start()
  const { status, body } = await berth.call('test.fail', { how: 'cause' })
  assert.deepEqual([status, body], [502, { message: 'The registry answered badly', code: 'BAD_GATEWAY', issues: [] }])
  assert.ok(berth.logged.some(({ event, error }) => event === 'refused' && error?.includes(secretDetail)))
})

test('429 and 503 say when to try again, in whole seconds', async () => {
  await using berth = await start()
  const limited = await berth.call('test.fail', { how: 'limited' })
  assert.deepEqual([limited.status, limited.headers['retry-after']], [429, '1'])
  const away = await berth.call('test.fail', { how: 'away' })
  assert.deepEqual([away.status, away.headers['retry-after']], [503, '5'])
})

test('input faults are one issue for each field', async () => {
  await using berth = await start()
  const { status, body } = await berth.call('test.read', { text: 'x'.repeat(21), limit: 'many' })
  assert.equal(status, 400)
  assert.deepEqual(body.issues, [
    { message: 'must have at most 20 characters', path: 'text' },
    { message: 'must be a number', path: 'limit' },
  ])
})

test('each request is one line in the log, without what was sent', async () => {
  await using berth = await start()
  const { id, token } = await berth.admin()
  await berth.call('test.read', { text: 'private' }, token)
  await berth.call('test.echo', { text: 'private', more: 'private' }, token, { cookie: 'private', prefer: 'private' })
  await berth.call('test.fail', { how: 'private' }, token)
  await berth.call('test.private', { how: 'private' }, null)
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
