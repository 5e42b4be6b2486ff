/** How Berth serves the console and the reference: paths, types, encodings, entity tags and headers. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { readConsole } from '../../src/http/documents/console.ts'
import { bundled } from '../fixtures/bundle.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { startBerth } from '../fixtures/harness.ts'
import { exchange } from './raw.ts'

bundled('berth')
const folder = join(import.meta.dirname, '../../dist/console')
const index = readFileSync(join(folder, 'index.html'), 'utf8')
const assetNames = readdirSync(join(folder, 'assets'))
const script = assetNames.find((name) => /^main-\w+\.js$/.test(name))!

/** What a browser sends when it opens a page. */
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types berth"

test('the root answers the page of the console, whatever the client accepts', async () => {
  await using berth = await startBerth()
  for (const headers of [browser, { accept: 'application/json' }, {}]) {
    const { statusCode, body, ...answer } = await berth.server.inject({ url: '/?a=b', headers })
    assert.deepEqual([statusCode, body], [200, index])
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(answer.headers['cache-control'], 'no-cache')
    assert.equal(answer.headers.vary, 'accept')
  }
})

test('a browser gets the page of the console at every path that belongs to nothing else', async () => {
  await using berth = await startBerth()
  const paths = ['/databases/01a/backups', '/databases/', '/sign-in', '/components', '/apis', '/docs2', '/a.b?c=/api']
  for (const url of paths) {
    const { statusCode, body } = await berth.server.inject({ url, headers: browser })
    assert.deepEqual([statusCode, body], [200, index], url)
  }
})

test('programs, other methods and the paths of the API get JSON at paths that do not exist', async () => {
  await using berth = await startBerth()
  const cases: [url: string, method: string, accept: string | undefined][] = [
    ['/databases/01a', 'GET', 'application/json'],
    ['/databases/01a', 'GET', '*/*'],
    ['/databases/01a', 'GET', 'text/html;q=0'],
    ['/databases/01a', 'GET', undefined],
    ['/databases/01a', 'POST', browser.accept],
    ['/databases/01a', 'HEAD', browser.accept],
    ['/databases/01a', 'OPTIONS', browser.accept],
    ['/api', 'GET', browser.accept],
    ['/api/', 'GET', browser.accept],
    ['/api/postgres.nothing', 'GET', browser.accept],
    ['/%61pi/postgres.nothing', 'GET', browser.accept],
    ['/docs/', 'GET', browser.accept],
    ['/docs/page', 'GET', browser.accept],
    ['/metrics/x', 'GET', browser.accept],
    ['/healthz/', 'GET', browser.accept],
    ['/readyz/x', 'GET', browser.accept],
    ['/openapi.json/x', 'GET', browser.accept],
    ['/assets', 'GET', browser.accept],
    ['/assets/', 'GET', browser.accept],
    ['/assets/a/b', 'GET', browser.accept],
    ['//databases', 'GET', browser.accept],
  ]
  for (const [url, method, accept] of cases) {
    const headers = accept === undefined ? {} : { accept }
    const response = await berth.server.inject({ method: method as 'GET', url, headers })
    assert.equal(response.statusCode, 404, `${method} ${url}`)
    assert.equal(response.headers['cache-control'], 'no-store')
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    if (method !== 'HEAD') assert.equal(response.json().code, 'NOT_FOUND')
  }
})

test('each file of the console is served with its type, and browsers keep it for a year', async () => {
  await using berth = await startBerth()
  const types: Record<string, string> = {
    css: 'text/css; charset=utf-8',
    js: 'text/javascript; charset=utf-8',
    svg: 'image/svg+xml',
  }
  for (const name of assetNames) {
    const url = `/assets/${name}`
    const { statusCode, headers, rawPayload } = await berth.server.inject({ url })
    assert.equal(statusCode, 200, name)
    assert.deepEqual(rawPayload, readFileSync(join(folder, 'assets', name)))
    assert.equal(headers['content-type'], types[name.slice(name.lastIndexOf('.') + 1)])
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(headers.vary, 'accept-encoding')
    for (const method of ['HEAD', 'POST', 'DELETE'] as const) {
      const refused = await berth.server.inject({ method, url })
      assert.deepEqual([refused.statusCode, refused.headers.allow], [405, 'GET'])
    }
  }
})

test('every page and file of the console has the same strict headers', async () => {
  await using berth = await startBerth()
  for (const url of ['/', '/databases', ...assetNames.map((name) => `/assets/${name}`)]) {
    const { headers } = await berth.server.inject({ url, headers: browser })
    assert.equal(headers['content-security-policy'], policy, url)
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    assert.match(String(headers['permissions-policy']), /^accelerometer=\(\), .*camera=\(\).*usb=\(\)$/)
  }
})

test('an unknown file, and every path that leaves the folder, gets 404', async () => {
  await using berth = await startBerth()
  const url = await berth.listen()
  const paths = [
    '/assets/nothing.js',
    '/assets/main.js',
    '/assets/../berth.mjs',
    '/assets/../index.html',
    '/assets/%2e%2e/berth.mjs',
    '/assets/%2e%2e%2fberth.mjs',
    '/assets/..%5cberth.mjs',
    '/assets/.',
    '/assets/..',
    '/assets/%00',
    `/assets/${script}%00`,
    `/assets/${script}/`,
    `/assets/${script.toUpperCase()}`,
    '/assets/__proto__',
    '/assets/constructor',
    `/assets/${'x'.repeat(5000)}`,
    '/../../etc/passwd',
    '//assets//..//berth.mjs',
  ]
  for (const path of paths) {
    const text = await exchange(url, `GET ${path} HTTP/1.1\r\nhost: berth\r\nconnection: close\r\n\r\n`)
    assert.match(text, /^HTTP\/1\.1 404 [\s\S]*"code":"NOT_FOUND"/, path)
  }
})

test('files and the reference are sent in the encoding that the client prefers', async () => {
  await using berth = await startBerth()
  const decode = { br: brotliDecompressSync, gzip: gunzipSync }
  for (const url of [`/assets/${script}`, '/docs', '/openapi.json']) {
    const send = (encoding?: string) =>
      berth.server.inject({ url, headers: encoding === undefined ? {} : { 'accept-encoding': encoding } })
    const plain = await send()
    assert.equal(plain.headers['content-encoding'], undefined)
    const tags = new Set([plain.headers.etag])
    for (const [accepted, coding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['br;q=0.1, gzip', 'gzip'],
    ] as const) {
      const { headers, rawPayload } = await send(accepted)
      assert.deepEqual([headers['content-encoding'], headers['content-type']], [coding, plain.headers['content-type']])
      assert.match(String(headers.vary), /\baccept-encoding$/)
      assert.equal(headers['content-length'], String(rawPayload.length))
      assert.deepEqual(decode[coding](rawPayload), plain.rawPayload)
      tags.add(headers.etag)
    }
    assert.equal(tags.size, 3, `${url}: each encoding has a tag of its own`)
    assert.equal((await send('br;q=0, identity')).headers['content-encoding'], undefined)
  }
})

test('a page is not compressed', async () => {
  await using berth = await startBerth()
  const { headers, body } = await berth.server.inject({ url: '/', headers: { 'accept-encoding': 'br, gzip' } })
  assert.deepEqual([headers['content-encoding'], body], [undefined, index])
})

test('a client that has the document gets 304 without a body', async () => {
  await using berth = await startBerth()
  for (const url of ['/', '/databases', `/assets/${script}`, '/docs', '/openapi.json']) {
    for (const encoding of ['identity', 'gzip', 'br']) {
      const send = (headers = {}) =>
        berth.server.inject({ url, headers: { ...browser, 'accept-encoding': encoding, ...headers } })
      const { etag } = (await send()).headers
      for (const tags of [etag, `"other", W/${etag}`, '*']) {
        const { statusCode, headers, body } = await send({ 'if-none-match': tags })
        assert.deepEqual([statusCode, body, headers.etag, headers['content-encoding']], [304, '', etag, undefined], url)
        assert.equal(headers['content-type'] ?? headers['content-length'], undefined)
      }
      for (const tags of ['"other"', '', 'W/', String(etag).slice(1)]) {
        assert.equal((await send({ 'if-none-match': tags })).statusCode, 200, `${url} ${tags}`)
      }
    }
  }
})

test('the reference is less than a tenth of its size when it is compressed', async () => {
  await using berth = await startBerth()
  for (const url of ['/docs', '/openapi.json']) {
    const [plain, compressed] = await Promise.all(
      ['identity', 'br'].map((encoding) => berth.server.inject({ url, headers: { 'accept-encoding': encoding } })),
    )
    assert.ok(compressed!.rawPayload.length * 10 < plain!.rawPayload.length, url)
    assert.equal(compressed!.headers['cache-control'], 'no-cache')
  }
})

test('a connection serves many documents, compressed or not modified', async () => {
  await using berth = await startBerth()
  const url = await berth.listen()
  const statuses: (number | undefined)[] = []
  for (const headers of [{}, { 'accept-encoding': 'br' }, { 'if-none-match': '*' }, { accept: 'text/html' }]) {
    await new Promise<void>((resolve, reject) => {
      get(`${url}/`, { headers }, (response) => {
        statuses.push(response.statusCode)
        response.resume().on('end', resolve)
      }).on('error', reject)
    })
  }
  assert.deepEqual(statuses, [200, 200, 304, 200])
})

test('sources that were never built say so', (t) => {
  const files = readConsole(pathToFileURL(`${temporaryFolder(t)}/console/`))
  const refusal = { code: 'NOT_FOUND', message: 'The console is not built. Start Berth with ./berth up' }
  assert.throws(() => files.page('/'), refusal)
  assert.equal(files.assets.size, 0)
})
