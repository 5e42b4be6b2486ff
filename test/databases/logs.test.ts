/** Logs of every kind of database, read by tail and time with masked passwords. follow.test.ts tests following. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import {
  type Database,
  type DatabaseClients,
  databaseClientsOf,
  serveWith,
  settingsOf,
} from '../fixtures/database-clients.ts'
import { followOn, type Line } from './follow.ts'
import { type Failure, type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

const read = (testBerth: TestBerth, databaseClients: DatabaseClients, database: Input, more: Input = {}) =>
  testBerth.ok<Line[]>(`${databaseClients.kind.name}.logs`, {
    [databaseClients.kind.idField]: databaseClients.idOf(database),
    ...more,
  })

const texts = (lines: Line[]) => lines.map(({ line }) => line)

function sayAll(testBerth: TestBerth, { appName }: Database, lines: string[]) {
  for (const line of lines) testBerth.engine.printLine(appName, line)
}

for (const kind of kinds) {
  describe(`logs of ${kind.name}`, { concurrency: true }, () => {
    readTests(kind)
    secretTests(kind)
    emptyTests(kind)
    refusalTests(kind)
  })
}

function readTests(kind: Kind): void {
  test('returns lines oldest first with time and stream, including control characters', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    const odd = 'ü 😀 "q" \\ \t\u001b[31mred\u001b[0m \u0000 </script>'
    testBerth.engine.printLine(up.appName, 'one')
    testBerth.engine.printLine(up.appName, odd, 'stderr')
    testBerth.engine.printLine(up.appName, '')
    const lines = await read(testBerth, databaseClients, up)
    assert.deepEqual(
      lines.map(({ line, stream }) => [line, stream]),
      [
        ['one', 'stdout'],
        [odd, 'stderr'],
        ['', 'stdout'],
      ],
    )
    assert.ok(lines.every((it) => /^2030-01-01T00:00:\d\d\.\d{9}Z$/.test(it.at) && Object.keys(it).length === 3))
    assert.deepEqual(
      lines,
      lines.toSorted((a, b) => a.at.localeCompare(b.at)),
    )
    const before = await testBerth.everything()
    await read(testBerth, databaseClients, up)
    assert.deepEqual(await testBerth.everything(), before)
  })

  test('selects lines by tail and since, and the last 100 by default', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    sayAll(
      testBerth,
      up,
      Array.from({ length: 120 }, (_, at) => `line ${at}`),
    )
    const all = await read(testBerth, databaseClients, up, { tail: 5000 })
    assert.deepEqual([all.length, all.at(-1)!.line], [120, 'line 119'])
    assert.deepEqual(await read(testBerth, databaseClients, up), all.slice(20))
    assert.deepEqual(await read(testBerth, databaseClients, up, { tail: 1, follow: false }), all.slice(119))
    assert.deepEqual(await read(testBerth, databaseClients, up, { since: all[110]!.at }), all.slice(110))
    assert.deepEqual(await read(testBerth, databaseClients, up, { since: all[110]!.at, tail: 3 }), all.slice(117))
    testBerth.pass(3600_000)
    sayAll(testBerth, up, ['late'])
    for (const since of ['90s', '15m', '2029-12-31T23:59:00-01:00']) {
      assert.deepEqual(texts(await read(testBerth, databaseClients, up, { since })), ['late'], since)
    }
    assert.equal((await read(testBerth, databaseClients, up, { since: '2h', tail: 5000 })).length, 121)
    assert.deepEqual(await read(testBerth, databaseClients, up, { since: '2100-01-01T00:00:00Z' }), [])
  })

  test('lets every account read', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    sayAll(testBerth, up, ['one'])
    const { status, body } = await testBerth.call<Line[]>(
      `${kind.name}.logs`,
      { [kind.idField]: databaseClients.idOf(up) },
      {},
      testBerth.user,
    )
    assert.deepEqual([status, texts(body)], [200, ['one']])
  })
}

function secretTests(kind: Kind): void {
  test('masks deployed and requested passwords, also in the encoding of URLs and JSON', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const [secret] = kind.secrets
    const [first, second] = ['the 1st pass/word', 'the 2nd pass@word']
    serveWith(testBerth, kind, [settingsOf(kind, { [secret!]: first })])
    const up = await databaseClients.up({ [secret!]: first })
    await databaseClients.act('update', up, { [secret!]: second })
    const said = [first, second, encodeURIComponent(second), `a ${first} b ${second}${first}`, 'the 3rd password']
    sayAll(testBerth, up, said)
    assert.deepEqual(texts(await read(testBerth, databaseClients, up)), [
      '********',
      '********',
      '********',
      'a ******** b ****************',
      'the 3rd password',
    ])
  })
}

function emptyTests(kind: Kind): void {
  test('returns no lines for a service that never ran, without a call to the engine', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create()
    testBerth.engine.setDown(true)
    assert.deepEqual(await read(testBerth, databaseClients, made), [])
    const follower = await followOn(await testBerth.listen(), testBerth.admin, `${kind.name}.logs`, {
      [kind.idField]: databaseClients.idOf(made),
    })
    assert.deepEqual([follower.status, await follower.ended, follower.lines()], [200, 'whole', []])
    assert.equal(testBerth.engine.calls.logs, 0)
  })

  test('returns the lines that the engine still has of a stopped service', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    await databaseClients.settle('stop', up)
    assert.deepEqual(await read(testBerth, databaseClients, up), [])
    sayAll(testBerth, up, ['last words'])
    assert.deepEqual(texts(await read(testBerth, databaseClients, up)), ['last words'])
  })
}

function refusalTests(kind: Kind): void {
  test('refuses invalid fields by name, and an unknown service with 404', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    for (const tail of ['0', '5001', '-1', '1.5', 'x', '']) {
      await databaseClients.refused('BAD_REQUEST', 'logs', up, { tail }, 'tail')
    }
    for (const since of ['', 'x', '90', '90x', '-5m', '2030-01-01', '2030-13-01T00:00:00Z', '2030-01-01T00:00:00']) {
      await databaseClients.refused('BAD_REQUEST', 'logs', up, { since }, 'since')
    }
    for (const follow of ['', 'yes', '1', 'TRUE'])
      await databaseClients.refused('BAD_REQUEST', 'logs', up, { follow }, 'follow')
    await testBerth.refused('NOT_FOUND', `${kind.name}.logs`, { [kind.idField]: 'nobody' })
    await testBerth.refused('NOT_FOUND', `${kind.name}.logs`, { [kind.idField]: 'nobody', follow: true })
    await databaseClients.gone(up)
    await databaseClients.refused('NOT_FOUND', 'logs', up)
  })

  test('responds 503 with Retry-After without the engine, also for following', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    testBerth.engine.setDown(true)
    for (const follow of [false, true]) {
      const input = { [kind.idField]: databaseClients.idOf(up), follow }
      const { status, body, headers } = await testBerth.call<Failure>(`${kind.name}.logs`, input)
      assert.deepEqual([status, body.code, headers['retry-after']], [503, 'SERVICE_UNAVAILABLE', '5'])
      assert.match(body.message, /^The engine does not answer/)
    }
  })
}
