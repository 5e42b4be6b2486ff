/** Following a log over a real connection: its lines, the end of the stream, and the release of the engine. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { LogLine } from '../../src/engine/engine.ts'
import { until } from '../engine/until.ts'
import {
  type Database,
  databaseClientsOf,
  fakeDatabaseServer,
  sampleKind as kind,
  settingsOf,
} from '../fixtures/database-clients.ts'
import { followOn } from './follow.ts'
import { type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

const name = `${kind.name}.logs`

async function begin(testBerth: TestBerth, more: Input = {}) {
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed()
  const url = await testBerth.listen()
  const input = { [kind.idField]: databaseClients.idOf(database) }
  return {
    databaseClients,
    database,
    url,
    input,
    follow: (as = testBerth.admin) => followOn(url, as, name, { ...input, ...more }),
  }
}

const untilReleased = (testBerth: TestBerth) =>
  until('the release of the engine', async () => testBerth.engine.listeners() === 0)

test('follows a log until the service is removed, beginning with existing lines', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed()
  for (const line of ['one', 'two', 'three']) testBerth.engine.printLine(database.appName, line)
  const input = { [kind.idField]: databaseClients.idOf(database), tail: 2, nonsense: 1 }
  const follower = await followOn(await testBerth.listen(), testBerth.admin, name, input)
  assert.deepEqual(await follower.waitForLines(2), ['two', 'three'])
  testBerth.engine.printLine(database.appName, 'four', 'stderr')
  assert.deepEqual(await follower.waitForLines(3), ['two', 'three', 'four'])
  assert.deepEqual(Object.keys(follower.lines()[2]!), ['at', 'stream', 'line'])
  assert.deepEqual(
    [follower.status, follower.texts[0], follower.headers.get('berth-ignored-fields')],
    [200, '', 'nonsense'],
  )
  await databaseClients.remove(database)
  assert.equal(await follower.ended, 'complete')
  assert.equal(testBerth.engine.listeners(), 0)
})

test('continues the stream after a reload, and masks a new password', async () => {
  await using testBerth = await startTestBerth()
  const { databaseClients, database, follow } = await begin(testBerth)
  const [secret] = kind.secrets
  fakeDatabaseServer(testBerth, kind, [settingsOf(kind), settingsOf(kind, { [secret!]: 'the new one' })])
  const follower = await follow()
  testBerth.engine.printLine(database.appName, 'the new one is not known')
  await follower.waitForLines(1)
  await databaseClients.ok('update', database, { [secret!]: 'the new one' })
  testBerth.engine.printLine(database.appName, 'the new one is known')
  await databaseClients.complete('reload', database, { appName: database.appName })
  testBerth.engine.printLine(database.appName, 'reloaded')
  assert.deepEqual(await follower.waitForLines(3), ['the new one is not known', '******** is known', 'reloaded'])
  follower.disconnect()
  await untilReleased(testBerth)
})

test('releases the log of the engine when the caller disconnects', async () => {
  await using testBerth = await startTestBerth()
  const { database, follow } = await begin(testBerth)
  const followers = await Promise.all([follow(), follow(), follow()])
  assert.equal(testBerth.engine.listeners(), 3)
  followers[0]!.disconnect()
  await until('the release of one stream', async () => testBerth.engine.listeners() === 2)
  testBerth.engine.printLine(database.appName, 'on')
  assert.deepEqual(await followers[1]!.waitForLines(1), ['on'])
  for (const it of followers) it.disconnect()
  await untilReleased(testBerth)
  assert.deepEqual(
    testBerth.logged.filter(({ level }) => level === 'error'),
    [],
  )
})

test('ends the stream when Berth stops, so that the stop does not wait for it', async () => {
  const testBerth = await startTestBerth()
  const { database, follow } = await begin(testBerth)
  testBerth.engine.printLine(database.appName, 'one')
  const follower = await follow()
  await follower.waitForLines(1)
  await testBerth.close()
  assert.equal(await follower.ended, 'complete')
  assert.equal(testBerth.engine.listeners(), 0)
})

test('aborts the stream and logs the reason if the engine fails', async () => {
  await using testBerth = await startTestBerth()
  const { database, follow } = await begin(testBerth)
  testBerth.engine.printLine(database.appName, 'one')
  const follower = await follow()
  await follower.waitForLines(1)
  testBerth.engine.setDown(true)
  assert.equal(await follower.ended, 'broken')
  const line = await until('the log', async () => testBerth.logged.find(({ event }) => event === 'a stream broke off'))
  assert.equal(line.fields.op, name)
  assert.match(line.error!, /The engine does not answer/)
})

test('responds with an error status if the log fails before the first line', async () => {
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
  followers[7]!.disconnect()
  await until('another follower to be accepted', async () => (await follow()).status === 200)
  for (const it of followers) it.disconnect()
})

/** Makes the engine return a log without an end. `lineCount` is the number of lines that were read from the engine. */
function endlessLog(testBerth: TestBerth) {
  const log = { lineCount: 0, isOver: false }
  testBerth.engine.logs = async (_name, _asked, signal) =>
    (async function* (): AsyncGenerator<LogLine> {
      try {
        while (!signal.aborted) {
          log.lineCount++
          yield { at: '2030-01-01T00:00:00.000000000Z', stream: 'stdout', line: 'x'.repeat(1000) }
        }
      } finally {
        log.isOver = true
      }
    })()
  return log
}

/** Connects a client that reads nothing until its socket is resumed. */
async function connectWithoutReading(t: TestContext, url: string, token: string, query: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) }).pause()
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  socket.write(`GET /api/${name}?${query} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  return socket
}

async function waitUntilSteady(log: { lineCount: number }) {
  let before = -1
  await until('Berth to stop reading', async () => {
    const isSteady = log.lineCount > 0 && log.lineCount === before
    before = log.lineCount
    return isSteady
  })
  return before
}

test('stops reading the log if the client does not read', async (t) => {
  await using testBerth = await startTestBerth()
  const { url, input } = await begin(testBerth)
  const log = endlessLog(testBerth)
  const socket = await connectWithoutReading(
    t,
    url,
    testBerth.admin,
    new URLSearchParams({ ...input, follow: 'true' } as never).toString(),
  )
  const lineCount = await waitUntilSteady(log)
  assert.ok(lineCount < 50_000, `Berth read ${lineCount} lines of 1 KB`)
  t.diagnostic(`Berth read ${lineCount} lines of 1 KB before the client read`)
  socket.resume()
  await until('more lines', async () => log.lineCount > lineCount + 1000)
  socket.destroy()
  await until('the end', async () => log.isOver)
})

test('sends an empty line every 30 seconds, and disconnects callers that lost access or do not read', async (t) => {
  await using testBerth = await startTestBerth()
  const { url, input, follow } = await begin(testBerth)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const [idle, revoked] = [await follow(), await follow(testBerth.user)]
  t.mock.timers.tick(30_000)
  await until('an empty line', async () => idle.texts.length === 2 && revoked.texts.length === 2)
  await testBerth.call('auth.logout', {}, {}, testBerth.user)
  t.mock.timers.tick(30_000)
  assert.equal(await revoked.ended, 'broken')
  await until('a second empty line', async () => idle.texts.length === 3)
  idle.disconnect()
  const log = endlessLog(testBerth)
  await connectWithoutReading(
    t,
    url,
    testBerth.admin,
    new URLSearchParams({ ...input, follow: 'true' } as never).toString(),
  )
  await waitUntilSteady(log)
  t.mock.timers.tick(30_000)
  // A disconnect would have been observed by now.
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
  assert.equal(log.isOver, false)
  t.mock.timers.tick(30_000)
  await until('the end', async () => log.isOver)
})

test('does not read the log of a foreign service with the same name', async () => {
  await using testBerth = await startTestBerth()
  const { databaseClients, database, follow } = await begin(testBerth)
  await databaseClients.complete('stop', database)
  await testBerth.engine.removeService((database as Database).appName)
  testBerth.engine.putForeign(database.appName)
  testBerth.engine.printLine(database.appName, 'of a foreign service')
  const follower = await follow()
  assert.deepEqual([await follower.ended, follower.lines()], ['complete', []])
})
