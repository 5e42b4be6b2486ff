/** Health, readiness and the reference page. They need no token, and the page loads no external resources. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { EngineUnavailable } from '../../src/engine/engine.ts'
import { memoryEngine } from '../engine/memory/engine.ts'
import { EventsQuery, eventsPath } from '../../src/http/events.ts'
import { operations } from '../../src/operations.ts'
import { startBerth } from '../fixtures/harness.ts'

test('healthz answers ok', async () => {
  await using berth = await startBerth()
  const { statusCode, body } = await berth.server.inject('/healthz')
  assert.deepEqual([statusCode, body], [200, '{"status":"ok"}'])
})

test('readyz names the dependency that does not answer', async () => {
  let isDown = false
  const connect = (id: string) => {
    const engine = memoryEngine(id)
    const ping = async () => {
      if (isDown) throw new EngineUnavailable('Docker does not answer')
    }
    return { ...engine, ping }
  }
  await using berth = await startBerth({ connect })
  const ready = await berth.server.inject('/readyz')
  assert.deepEqual([ready.statusCode, ready.json()], [200, { store: 'ok', engine: 'ok', accounts: 'none' }])
  await berth.admin()
  assert.equal((await berth.server.inject('/readyz')).json().accounts, 'ok')
  isDown = true
  const { statusCode, headers, json } = await berth.server.inject('/readyz')
  assert.deepEqual([statusCode, headers['retry-after']], [503, '5'])
  const issues = [{ path: 'engine', message: 'Docker does not answer' }]
  assert.deepEqual(json(), { message: 'engine: Docker does not answer', code: 'SERVICE_UNAVAILABLE', issues })
})

test('the reference page contains every operation and loads nothing', async () => {
  await using berth = await startBerth()
  const { statusCode, headers, body } = await berth.server.inject('/docs')
  assert.equal(statusCode, 200)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  for (const { name, summary } of operations) {
    assert.ok(body.includes(`id="${name}"`), name)
    assert.ok(body.includes(`/api/${name}`), name)
    assert.ok(body.includes(summary.replaceAll("'", '&#39;')), summary)
  }
  const loaded = [...body.matchAll(/\s(?:src|href|action)="([^"]*)"/g)].map(([, target]) => target!)
  assert.deepEqual(
    loaded.filter((target) => !/^#|^\/$|^openapi\.json$|^data:image\/svg\+xml,/.test(target)),
    [],
  )
  const ids = new Set([...body.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))
  assert.deepEqual(
    loaded.filter((target) => target.startsWith('#') && !ids.has(target.slice(1))),
    [],
  )
})

test('the reference page has an example of each operation for curl, client and command line', async () => {
  await using berth = await startBerth()
  const { body } = await berth.server.inject('/docs')
  const articles = body.split('<article class="operation" id="').slice(1)
  assert.equal(articles.length, operations.length)
  for (const article of articles) {
    const name = article.slice(0, article.indexOf('"'))
    assert.deepEqual(
      [...article.matchAll(/<section><p class="form-name">([^<]+)</g)].map(([, title]) => title),
      ['curl', 'TypeScript', 'Command line'],
    )
    // `berth api` prints JSON only.
    const command = name === 'backup.download' ? 'berth backup download' : `berth api ${name}`
    for (const part of [`$BERTH_URL/api/${name}&quot;`, `await berth.${name}(`, command]) {
      assert.ok(article.includes(part), `${name}: ${part}`)
    }
  }
})

test('the reference page has the colours of the console, and none of its own', async () => {
  await using berth = await startBerth()
  const { body } = await berth.server.inject('/docs')
  const files = ['console/style/tokens.css', 'src/http/docs/style.css']
  const [tokens, own] = files.map((path) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8'))
  const style = body.slice(body.indexOf('<style>'), body.indexOf('</style>'))
  assert.ok(style.startsWith(`<style>${tokens}`) && style.endsWith(own!))
  assert.doesNotMatch(own!, /#\w{3,8}\s*[;,)]|\b(?:rgb|hsl|oklch|light-dark)\(/)
  const used = new Set([...own!.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name!))
  assert.deepEqual(
    [...used].filter((name) => !tokens!.includes(`${name}:`)),
    [],
  )
})

test('the reference page applies the colours chosen in the console before the page is drawn', async () => {
  await using berth = await startBerth()
  const { body } = await berth.server.inject('/docs')
  const head = body.slice(0, body.indexOf('<body>'))
  const console = readFileSync(join(import.meta.dirname, '../../console/shell/theme.ts'), 'utf8')
  const [, key] = /storageKey = '([^']+)'/.exec(console)!
  assert.ok(head.includes(`'${key}'`))
})

test('the headings of the reference page have no gaps between their levels', async () => {
  await using berth = await startBerth()
  const { body } = await berth.server.inject('/docs')
  const levels = [...body.matchAll(/<h(\d)[ >]/g)].map(([, level]) => Number(level))
  assert.equal(levels.filter((level) => level === 1).length, 1)
  assert.equal(levels[0], 1)
  assert.deepEqual(
    levels.filter((level, i) => i > 0 && level > levels[i - 1]! + 1),
    [],
  )
})

test('the reference page describes the stream of events', async () => {
  await using berth = await startBerth()
  const { body } = await berth.server.inject('/docs')
  const chapter = body.slice(body.indexOf('<section class="chapter" id="events">'))
  for (const part of [
    `GET</span> <code>${eventsPath}`,
    `$BERTH_URL${eventsPath}&quot;`,
    'berth.events(',
    'berth events',
  ]) {
    assert.ok(chapter.includes(part), part)
  }
  for (const name of Object.keys(EventsQuery.shape)) assert.ok(chapter.includes(`<code>${name}</code>`), name)
})

test('the content security policy permits only the styles and scripts of the page', async () => {
  await using berth = await startBerth()
  const { headers, body } = await berth.server.inject('/docs')
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /^default-src 'none';/)
  for (const element of ['style', 'script']) {
    const texts = [...body.matchAll(new RegExp(`<${element}>([^]*?)</${element}>`, 'g'))].map(([, text]) => text!)
    const hashes = texts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    assert.ok(policy.includes(`${element}-src ${hashes.join(' ')};`))
  }
  assert.doesNotMatch(body, /\s(?:style|on\w+)="/)
})
