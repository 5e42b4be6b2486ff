/** Who may open a session, and in which state of the database. A refusal is an HTTP answer, and starts nothing. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { until } from '../engine/until.ts'
import { endless, type SessionBerth, startSessionBerth } from './session-berth.ts'
import type { Handshake, SessionInput } from './session-client.ts'

async function checkRefused(
  berth: SessionBerth,
  status: number,
  message: RegExp,
  input: Partial<SessionInput> = {},
  handshake: Handshake = {},
) {
  const refusal = await berth.refusedOpen(input, handshake)
  assert.deepEqual([refusal.status, message.test(refusal.body.message ?? '')], [status, true], JSON.stringify(refusal))
  assert.deepEqual(berth.jobs, [])
  return refusal
}

test('only sessions and tokens of the scope admin open a session', async () => {
  await using berth = await startSessionBerth()
  await checkRefused(berth, 401, /token is missing/, {}, { token: null })
  await checkRefused(berth, 401, /token is missing/, {}, { token: 'berth_sess_unknown' })
  for (const scope of ['read', 'deploy'] as const) {
    await checkRefused(berth, 403, /scope/, {}, { token: await berth.apiToken(scope) })
  }
  assert.deepEqual(
    (await berth.audit()).map(({ result }) => result),
    ['FORBIDDEN', 'FORBIDDEN'],
  )
  for (const token of [await berth.apiToken('admin'), berth.user]) {
    const session = await berth.open({}, { token })
    session.post({ type: 'endInput' })
    assert.equal(await session.closed, 1000)
  }
})

test('a cookie opens a session only for pages of Berth', async () => {
  await using berth = await startSessionBerth()
  const { origin, host } = new URL(berth.url)
  const cookie = `berth=${berth.user}`
  const asPage = (headers: Record<string, string>): Handshake => ({ token: null, headers: { cookie, ...headers } })
  await checkRefused(berth, 403, /Origin is missing/, {}, asPage({}))
  await checkRefused(berth, 403, /Origin is missing/, {}, asPage({ 'berth-session': 'cookie' }))
  await checkRefused(berth, 403, /page is of/, {}, asPage({ origin: 'http://evil.example' }))
  await checkRefused(berth, 403, /page is of/, {}, asPage({ origin: 'http://127.0.0.1:1' }))
  await checkRefused(berth, 403, /Sec-Fetch-Site/, {}, asPage({ origin, 'sec-fetch-site': 'same-site' }))
  await checkRefused(berth, 403, /does not know the host name/, {}, asPage({ origin, host: 'evil.example' }))
  const session = await berth.open({}, asPage({ origin, host }))
  session.post({ type: 'endInput' })
  assert.equal(await session.closed, 1000)
})

test('refuses wrong input with its field, and an incomplete handshake', async () => {
  await using berth = await startSessionBerth()
  const cases: [Partial<SessionInput> & Record<string, unknown>, string][] = [
    [{ mode: 'shell' }, 'mode'],
    [{ columns: 80 }, 'columns'],
    [{ rows: 24 }, 'rows'],
    [{ columns: 0, rows: 24 }, 'columns'],
    [{ mode: 'tunnel', columns: 80, rows: 24 }, 'columns'],
    [{ mode: 'tunnel', argument: ['a'] }, 'argument'],
    [{ argument: ['a\0'] }, 'argument.0'],
  ]
  for (const [input, path] of cases) {
    const { body } = await checkRefused(berth, 400, /./, input)
    assert.deepEqual(
      body.issues!.map((issue) => issue.path),
      [path],
    )
  }
  await checkRefused(berth, 400, /must name berth.session.v1/, {}, { protocols: ['chat'] })
  const { status, body } = await berth.call('database.openSession', { databaseId: berth.databaseId, mode: 'client' })
  assert.deepEqual([status, /WebSocket/.test(String(body.message))], [400, true])
})

test('other paths are no WebSockets', async () => {
  await using berth = await startSessionBerth()
  const upgrade = async (path: string) => {
    const { port } = new URL(berth.url)
    const socket = connect(Number(port), '127.0.0.1')
    const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=='
    const head = `Host: 127.0.0.1\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n${key}`
    socket.write(`GET ${path} HTTP/1.1\r\n${head}\r\n\r\n`)
    return (await Array.fromAsync(socket)).join('')
  }
  assert.match(await upgrade('/api/unknown'), /^HTTP\/1\.1 404 [\s\S]*"code":"NOT_FOUND"/)
  assert.match(await upgrade('/api/database.all'), /^HTTP\/1\.1 401 [\s\S]*"code":"UNAUTHORIZED"/)
  assert.match(await upgrade('/api/database.openSession'), /^HTTP\/1\.1 401 [\s\S]*"code":"UNAUTHORIZED"/)
  assert.match(await upgrade('/livez'), /^HTTP\/1\.1 (?:200|404) /)
})

test('closes the connection of a refused client that keeps it open', async () => {
  await using berth = await startSessionBerth()
  const socket = connect({ port: Number(new URL(berth.url).port), host: '127.0.0.1', allowHalfOpen: true })
  const closed = Promise.withResolvers<void>()
  socket.on('error', () => closed.resolve()).resume()
  socket.write(
    'GET /api/database.openSession HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  )
  await once(socket, 'end')
  // The other side of a connection that is closed answers what is sent with a reset.
  const timer = setInterval(() => socket.write('more'), 100)
  await closed.promise
  clearInterval(timer)
})

test('refuses a database that is unknown, not deployed, stopped, down or worked on', async () => {
  await using berth = await startSessionBerth()
  const { databases, database, engine } = berth
  await checkRefused(berth, 404, /No database with this id/, { databaseId: 'nobody' })
  const idle = await databases.create({ name: 'idle' })
  await checkRefused(berth, 412, /never deployed/, { databaseId: databases.idOf(idle) })
  await databases.complete('stop', database)
  await checkRefused(berth, 412, /is stopped/)
  await databases.complete('start', database)
  engine.behave(database.appName, 'crash:1')
  engine.replaceTask(database.appName)
  await checkRefused(berth, 412, /./)
  engine.behave(database.appName, 'running')
  await databases.complete('deploy', database)
  await berth.app.transact((tx) => tx.updateTable('database').set({ deploymentId: 'd' }).execute())
  await checkRefused(berth, 409, /deployment or a move/)
  await berth.app.transact((tx) => tx.updateTable('database').set({ deploymentId: null }).execute())
  engine.setDown(true)
  await checkRefused(berth, 503, /./)
})

test('limits the sessions of an account and of all accounts', async () => {
  await using berth = await startSessionBerth({ limits: { maxPerAccount: 2, maxSessions: 3 } })
  berth.setProgram(endless)
  const first = await berth.open()
  await berth.open()
  const { status, body } = await berth.refusedOpen()
  assert.deepEqual([status, /This account has 2/.test(body.message!)], [429, true])
  await berth.open({}, { token: berth.user })
  assert.match((await berth.refusedOpen({}, { token: berth.user })).body.message!, /There are 3 open sessions/)
  first.socket.close()
  const again = await until('a free session', async () => {
    const answer = await berth.tryOpen({}, { token: berth.user })
    return 'socket' in answer ? answer : null
  })
  again.socket.close()
})
