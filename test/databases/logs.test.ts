/** Reading the log of a database, with masked passwords. follow.test.ts tests following a log. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import {
  type Database,
  type DatabaseClients,
  databaseClientsOf,
  fakeDatabaseServer,
  sampleKind,
  settingsOf,
} from '../fixtures/database-clients.ts'
import { followOn, type Line } from './follow.ts'
import { type Failure, type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

const readLogs = (testBerth: TestBerth, databaseClients: DatabaseClients, database: Input, more: Input = {}) =>
  testBerth.ok<Line[]>(`${databaseClients.kind.name}.logs`, {
    [databaseClients.kind.idField]: databaseClients.idOf(database),
    ...more,
  })

const texts = (lines: Line[]) => lines.map(({ line }) => line)

function logAll(testBerth: TestBerth, { appName }: Database, lines: string[]) {
  for (const line of lines) testBerth.engine.printLine(appName, line)
}

for (const kind of kinds) {
  describe(`logs of ${kind.name}`, { concurrency: true }, () => secretTests(kind))
}

describe('logs of any kind', { concurrency: true }, () => {
  readTests(sampleKind)
  emptyTests(sampleKind)
  refusalTests(sampleKind)
})

function readTests(kind: Kind): void {
  test('returns lines with time and stream, oldest first, including control characters', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    const oddLine = 'ü 😀 "q" \\ \t\u001b[31mred\u001b[0m \u0000 </script>'
    testBerth.engine.printLine(database.appName, 'one')
    testBerth.engine.printLine(database.appName, oddLine, 'stderr')
    testBerth.engine.printLine(database.appName, '')
    const lines = await readLogs(testBerth, databaseClients, database)
    assert.deepEqual(
      lines.map(({ line, stream }) => [line, stream]),
      [
        ['one', 'stdout'],
        [oddLine, 'stderr'],
        ['', 'stdout'],
      ],
    )
    assert.ok(
      lines.every((entry) => /^2030-01-01T00:00:\d\d\.\d{9}Z$/.test(entry.at) && Object.keys(entry).length === 3),
    )
    assert.deepEqual(
      lines,
      lines.toSorted((a, b) => a.at.localeCompare(b.at)),
    )
    const before = await testBerth.everything()
    await readLogs(testBerth, databaseClients, database)
    assert.deepEqual(await testBerth.everything(), before)
  })

  test('returns the lines that tail and since select, by default the last 100', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    logAll(
      testBerth,
      database,
      Array.from({ length: 120 }, (_, at) => `line ${at}`),
    )
    const all = await readLogs(testBerth, databaseClients, database, { tail: 5000 })
    assert.deepEqual([all.length, all.at(-1)!.line], [120, 'line 119'])
    assert.deepEqual(await readLogs(testBerth, databaseClients, database), all.slice(20))
    assert.deepEqual(await readLogs(testBerth, databaseClients, database, { tail: 1, follow: false }), all.slice(119))
    assert.deepEqual(await readLogs(testBerth, databaseClients, database, { since: all[110]!.at }), all.slice(110))
    assert.deepEqual(
      await readLogs(testBerth, databaseClients, database, { since: all[110]!.at, tail: 3 }),
      all.slice(117),
    )
    testBerth.pass(3600_000)
    logAll(testBerth, database, ['late'])
    for (const since of ['90s', '15m', '2029-12-31T23:59:00-01:00']) {
      assert.deepEqual(texts(await readLogs(testBerth, databaseClients, database, { since })), ['late'], since)
    }
    assert.equal((await readLogs(testBerth, databaseClients, database, { since: '2h', tail: 5000 })).length, 121)
    assert.deepEqual(await readLogs(testBerth, databaseClients, database, { since: '2100-01-01T00:00:00Z' }), [])
  })

  test('returns lines to every account', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    logAll(testBerth, database, ['one'])
    const { status, body } = await testBerth.call<Line[]>(
      `${kind.name}.logs`,
      { [kind.idField]: databaseClients.idOf(database) },
      {},
      testBerth.user,
    )
    assert.deepEqual([status, texts(body)], [200, ['one']])
  })
}

function secretTests(kind: Kind): void {
  test('masks the deployed and the requested password, also in URL encoding', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const [secret] = kind.secrets
    const [first, second] = ['the 1st pass/word', 'the 2nd pass@word']
    fakeDatabaseServer(testBerth, kind, [settingsOf(kind, { [secret!]: first })])
    const database = await databaseClients.createDeployed({ [secret!]: first })
    await databaseClients.ok('update', database, { [secret!]: second })
    const lines = [first, second, encodeURIComponent(second), `a ${first} b ${second}${first}`, 'the 3rd password']
    logAll(testBerth, database, lines)
    assert.deepEqual(texts(await readLogs(testBerth, databaseClients, database)), [
      '********',
      '********',
      '********',
      'a ******** b ****************',
      'the 3rd password',
    ])
  })
}

function emptyTests(kind: Kind): void {
  test('returns no lines of a service that never ran, without a call to the engine', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    testBerth.engine.setDown(true)
    assert.deepEqual(await readLogs(testBerth, databaseClients, database), [])
    const follower = await followOn(await testBerth.listen(), testBerth.admin, `${kind.name}.logs`, {
      [kind.idField]: databaseClients.idOf(database),
    })
    assert.deepEqual([follower.status, await follower.ended, follower.lines()], [200, 'complete', []])
    assert.equal(testBerth.engine.calls.logs, 0)
  })

  test('returns the lines that the engine still has of a stopped service', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    await databaseClients.complete('stop', database)
    assert.deepEqual(await readLogs(testBerth, databaseClients, database), [])
    logAll(testBerth, database, ['last line'])
    assert.deepEqual(texts(await readLogs(testBerth, databaseClients, database)), ['last line'])
  })
}

function refusalTests(kind: Kind): void {
  test('refuses invalid values and names the field, and responds 404 for an unknown service', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    for (const tail of ['0', '5001', '-1', '1.5', 'x', '']) {
      await databaseClients.refused('BAD_REQUEST', 'logs', database, { tail }, 'tail')
    }
    for (const since of ['', 'x', '90', '90x', '-5m', '2030-01-01', '2030-13-01T00:00:00Z', '2030-01-01T00:00:00']) {
      await databaseClients.refused('BAD_REQUEST', 'logs', database, { since }, 'since')
    }
    for (const follow of ['', 'yes', '1', 'TRUE'])
      await databaseClients.refused('BAD_REQUEST', 'logs', database, { follow }, 'follow')
    await testBerth.refused('NOT_FOUND', `${kind.name}.logs`, { [kind.idField]: 'nobody' })
    await testBerth.refused('NOT_FOUND', `${kind.name}.logs`, { [kind.idField]: 'nobody', follow: true })
    await databaseClients.remove(database)
    await databaseClients.refused('NOT_FOUND', 'logs', database)
  })

  test('responds 503 with Retry-After while the engine does not answer, also to a follower', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    testBerth.engine.setDown(true)
    for (const follow of [false, true]) {
      const input = { [kind.idField]: databaseClients.idOf(database), follow }
      const { status, body, headers } = await testBerth.call<Failure>(`${kind.name}.logs`, input)
      assert.deepEqual([status, body.code, headers['retry-after']], [503, 'SERVICE_UNAVAILABLE', '5'])
      assert.match(body.message, /^The engine does not answer/)
    }
  })
}
