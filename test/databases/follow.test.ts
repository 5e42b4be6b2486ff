/** Following a log over a real connection: the lines, the end of the stream, and the release of its resources. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { LogLine } from '../../src/engine/engine.ts'
import { kindNamed, kinds } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { type Database, databaseClientsOf, serveWith, settingsOf } from '../fixtures/database-clients.ts'
import { followOn } from './follow.ts'
import { type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

/** One database of each kind. */
const kind = kindNamed('postgres')
const name = `${kind.name}.logs`

async function begin(testBerth: TestBerth, more: Input = {}) {
  const databaseClients = databaseClientsOf(testBerth, kind)
  const up = await databaseClients.up()
  const url = await testBerth.listen()
  const input = { [kind.idField]: databaseClients.idOf(up) }
  return {
    databaseClients,
    up,
    url,
    input,
    follow: (as = testBerth.admin) => followOn(url, as, name, { ...input, ...more }),
  }
}

const nobodyListens = (testBerth: TestBerth) =>
  until('the engine to be let go', async () => testBerth.engine.listeners() === 0)

for (const it of kinds) {
  test(`follows ${it.name}: sends existing lines, then new ones, until the service is removed`, async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, it)
    const up = await databaseClients.up()
    for (const line of ['one', 'two', 'three']) testBerth.engine.printLine(up.appName, line)
    const input = { [it.idField]: databaseClients.idOf(up), tail: 2, nonsense: 1 }
    const follower = await followOn(await testBerth.listen(), testBerth.admin, `${it.name}.logs`, input)
    assert.deepEqual(await follower.heard(2), ['two', 'three'])
    testBerth.engine.printLine(up.appName, 'four', 'stderr')
    assert.deepEqual(await follower.heard(3), ['two', 'three', 'four'])
    assert.deepEqual(Object.keys(follower.lines()[2]!), ['at', 'stream', 'line'])
    assert.deepEqual(
      [follower.status, follower.texts[0], follower.headers.get('berth-ignored-fields')],
      [200, '', 'nonsense'],
    )
    await databaseClients.gone(up)
    assert.equal(await follower.ended, 'whole')
    assert.equal(testBerth.engine.listeners(), 0)
  })
}

test('continues the stream over a reload, and masks new passwords', async () => {
  await using testBerth = await startTestBerth()
  const { databaseClients, up, follow } = await begin(testBerth)
  const [secret] = kind.secrets
  serveWith(testBerth, kind, [settingsOf(kind), settingsOf(kind, { [secret!]: 'the new one' })])
  const follower = await follow()
  testBerth.engine.printLine(up.appName, 'the new one is not known')
  await follower.heard(1)
  await databaseClients.act('update', up, { [secret!]: 'the new one' })
  testBerth.engine.printLine(up.appName, 'the new one is known')
  await databaseClients.settle('reload', up, { appName: up.appName })
  testBerth.engine.printLine(up.appName, 'reloaded')
  assert.deepEqual(await follower.heard(3), ['the new one is not known', '******** is known', 'reloaded'])
  follower.leave()
  await nobodyListens(testBerth)
})

test('releases the stream as soon as the caller disconnects', async () => {
  await using testBerth = await startTestBerth()
  const { up, follow } = await begin(testBerth)
  const followers = await Promise.all([follow(), follow(), follow()])
  assert.equal(testBerth.engine.listeners(), 3)
  followers[0]!.leave()
  await until('one to be let go', async () => testBerth.engine.listeners() === 2)
  testBerth.engine.printLine(up.appName, 'on')
  assert.deepEqual(await followers[1]!.heard(1), ['on'])
  for (const it of followers) it.leave()
  await nobodyListens(testBerth)
  assert.deepEqual(
    testBerth.logged.filter(({ level }) => level === 'error'),
    [],
  )
})

test('ends the stream when Berth stops, without delaying the stop', async () => {
  const testBerth = await startTestBerth()
  const { up, follow } = await begin(testBerth)
  testBerth.engine.printLine(up.appName, 'one')
  const follower = await follow()
  await follower.heard(1)
  const began = Date.now()
  await testBerth.close()
  assert.equal(await follower.ended, 'whole')
  assert.ok(Date.now() - began < 20_000, 'closing waited')
  assert.equal(testBerth.engine.listeners(), 0)
})

test('aborts the stream and logs the reason if the engine breaks off', async () => {
  await using testBerth = await startTestBerth()
  const { up, follow } = await begin(testBerth)
  testBerth.engine.printLine(up.appName, 'one')
  const follower = await follow()
  await follower.heard(1)
  testBerth.engine.setDown(true)
  assert.equal(await follower.ended, 'broken')
  const line = await until('the log', async () => testBerth.logged.find(({ event }) => event === 'a stream broke off'))
  assert.equal(line.fields.op, name)
  assert.match(line.error!, /The engine does not answer/)
})

test('responds with an ordinary error before the first line', async () => {
  await using testBerth = await startTestBerth()
  const { follow } = await begin(testBerth)
  testBerth.engine.logs = async () =>
    // biome-ignore lint/correctness/useYield: a log that breaks before its first line.
    (async function* (): AsyncGenerator<LogLine> {
      throw new Error('a defect')
    })()
  const { status, body } = await follow()
  assert.deepEqual([status, body!.code], [500, 'INTERNAL_SERVER_ERROR'])
})

test('accepts 100 followers at once and refuses one more until a follower leaves', async () => {
  await using testBerth = await startTestBerth()
  const { follow } = await begin(testBerth)
  const followers = await Promise.all(Array.from({ length: 100 }, () => follow()))
  assert.deepEqual([...new Set(followers.map(({ status }) => status))], [200])
  const late = await follow()
  assert.deepEqual([late.status, late.body!.code, late.headers.get('retry-after')], [429, 'TOO_MANY_REQUESTS', '10'])
  followers[7]!.leave()
  await until('a place', async () => (await follow()).status === 200)
  for (const it of followers) it.leave()
})

/** An engine with endless lines; `given` counts them. */
function endless(testBerth: TestBerth) {
  const seen = { given: 0, isOver: false }
  testBerth.engine.logs = async (_name, _asked, signal) =>
    (async function* (): AsyncGenerator<LogLine> {
      try {
        while (!signal.aborted) {
          seen.given++
          yield { at: '2030-01-01T00:00:00.000000000Z', stream: 'stdout', line: 'x'.repeat(1000) }
        }
      } finally {
        seen.isOver = true
      }
    })()
  return seen
}

/** A client that reads nothing until it is resumed. */
async function silent(t: TestContext, url: string, token: string, query: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) }).pause()
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  socket.write(`GET /api/${name}?${query} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  return socket
}

async function steady(seen: { given: number }) {
  let before = -1
  await until('no more to be read', async () => {
    const isSteady = seen.given > 0 && seen.given === before
    before = seen.given
    return isSteady
  })
  return before
}

test('sends a client that does not read no more than the connection buffers', async (t) => {
  await using testBerth = await startTestBerth()
  const { url, input } = await begin(testBerth)
  const seen = endless(testBerth)
  const socket = await silent(
    t,
    url,
    testBerth.admin,
    new URLSearchParams({ ...input, follow: 'true' } as never).toString(),
  )
  const given = await steady(seen)
  assert.ok(given < 50_000, `${given} lines of 1 KB were read ahead`)
  t.diagnostic(`${given} lines of 1 KB before the reader read`)
  socket.resume()
  await until('more', async () => seen.given > given + 1000)
  socket.destroy()
  await until('the end', async () => seen.isOver)
})

test('sends an empty line every 30 seconds, and disconnects callers without access or progress', async (t) => {
  await using testBerth = await startTestBerth()
  const { url, input, follow } = await begin(testBerth)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const [idle, revoked] = [await follow(), await follow(testBerth.user)]
  t.mock.timers.tick(30_000)
  await until('an empty line', async () => idle.texts.length === 2 && revoked.texts.length === 2)
  await testBerth.call('auth.logout', {}, {}, testBerth.user)
  t.mock.timers.tick(30_000)
  assert.equal(await revoked.ended, 'broken')
  await until('another', async () => idle.texts.length === 3)
  idle.leave()
  const seen = endless(testBerth)
  await silent(t, url, testBerth.admin, new URLSearchParams({ ...input, follow: 'true' } as never).toString())
  await steady(seen)
  t.mock.timers.tick(30_000)
  // A disconnect would have been observed by now.
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
  assert.equal(seen.isOver, false)
  t.mock.timers.tick(30_000)
  await until('the end', async () => seen.isOver)
})

test('does not read the log of a foreign service with the same name', async () => {
  await using testBerth = await startTestBerth()
  const { databaseClients, up, follow } = await begin(testBerth)
  await databaseClients.settle('stop', up)
  await testBerth.engine.removeService((up as Database).appName)
  testBerth.engine.putForeign(up.appName)
  testBerth.engine.printLine(up.appName, 'not ours')
  const follower = await follow()
  assert.deepEqual([await follower.ended, follower.lines()], ['whole', []])
})
