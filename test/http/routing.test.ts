/** Paths, methods, and the order in which a request is checked. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBerth } from '../fixtures/harness.ts'
import { sampleOperations } from './sample-operations.ts'

const bodyOf = (payload: string | undefined) => (payload === undefined ? {} : { payload })

const start = () => startBerth({ operations: sampleOperations() })

test('an unknown path gets 404 for every method, without a token', async () => {
  await using berth = await start()
  const paths = [
    '/api/test.nothing',
    '/api/test',
    '/api/',
    '/api',
    '/api/test.read/',
    '/api/TEST.READ',
    '/nothing',
    '/api//test.read',
    '/api/__proto__',
    '/api/constructor',
    '/docs/',
    '/api/test.read/x',
    '/api/%00',
    '/%2e%2e/etc/passwd',
  ]
  for (const url of paths) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND'] as const) {
      const response = await berth.server.inject({
        method: method as 'GET',
        url,
        ...bodyOf(method === 'POST' ? 'not json' : undefined),
      })
      assert.equal(response.statusCode, 404, `${method} ${url}`)
      if (method !== 'HEAD') assert.deepEqual([response.json().code, response.json().issues], ['NOT_FOUND', []])
    }
  }
})

test('a wrong method gets 405 and the right method in Allow, without a token', async () => {
  await using berth = await start()
  const right: [string, string][] = [
    ['/api/test.read', 'GET'],
    ['/api/test.echo', 'POST'],
    ['/healthz', 'GET'],
    ['/readyz', 'GET'],
    ['/proof', 'GET'],
    ['/openapi.json', 'GET'],
    ['/docs', 'GET'],
    ['/', 'GET'],
    ['/api/test.read?text=a', 'GET'],
    ['/api/test%2Eecho', 'POST'],
  ]
  const methods = [
    'GET',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'HEAD',
    'TRACE',
    'PROPFIND',
    'QUERY',
    'SEARCH',
    'LOCK',
  ] as const
  for (const [url, allowed] of right) {
    for (const method of methods.filter((it) => it !== allowed)) {
      const response = await berth.server.inject({
        method: method as 'GET',
        url,
        ...bodyOf(method === 'PUT' ? '<xml/>' : undefined),
      })
      assert.equal(response.statusCode, 405, `${method} ${url}`)
      assert.equal(response.headers.allow, allowed)
      assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
      if (method !== 'HEAD') assert.equal(response.json().code, 'METHOD_NOT_SUPPORTED')
    }
  }
})

test('checks path, method, token, role, content type, body and input in this order', async () => {
  await using berth = await start()
  const { token } = await berth.user()
  const good = { authorization: `Bearer ${token}` }
  const xml = { 'content-type': 'text/xml' }
  const json = { 'content-type': 'application/json' }
  const huge = `{"text": "${'x'.repeat(1024 * 1024)}"}`
  const cases = [
    ['POST', '/api/test.nothing', {}, '<', 404],
    ['POST', '/api/test.admin', {}, '<', 405],
    ['GET', '/api/test.admin', {}, undefined, 401],
    ['GET', '/api/test.admin', good, undefined, 403],
    ['POST', '/api/test.echo', xml, huge, 401],
    ['POST', '/api/test.echo', { ...good, ...xml }, huge, 415],
    ['POST', '/api/test.echo', { ...good, ...json }, huge, 413],
    ['POST', '/api/test.echo', { ...good, ...json, 'idempotency-key': 'ü' }, '{', 400],
    ['POST', '/api/test.echo', { ...good, ...json }, '{"text": ""}', 400],
    ['POST', '/api/test.echo', { ...good, ...json }, '{"text": "a"}', 200],
  ] as const
  for (const [method, url, headers, payload, status] of cases) {
    const response = await berth.server.inject({ method, url, headers, ...bodyOf(payload) })
    assert.equal(response.statusCode, status, `${method} ${url} ${response.body.slice(0, 200)}`)
    assert.equal(response.headers['www-authenticate'], status === 401 ? 'Bearer' : undefined)
  }
})

test('a path with invalid percent-encoding gets 400 with the error body', async () => {
  await using berth = await start()
  const response = await berth.server.inject({ method: 'GET', url: '/api/%zz' })
  assert.equal(response.statusCode, 400)
  assert.deepEqual(response.json(), {
    message: 'The path is not valid percent-encoding',
    code: 'BAD_REQUEST',
    issues: [],
  })
  assert.match(String(response.headers['x-request-id']), /^\w+-\d+$/)
})
