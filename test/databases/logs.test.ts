/** What a database prints, for every kind: read by tail and time, without its passwords. Following: see follow.test. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { type Database, type Fleet, fleetOf, serveWith, settingsOf } from '../fixtures/fleet.ts'
import { followOn, type Line } from './follow.ts'
import { type Failure, type Input, type Site, startSite } from '../fixtures/site.ts'

const read = (site: Site, fleet: Fleet, database: Input, more: Input = {}) =>
  site.ok<Line[]>(`${fleet.kind.name}.logs`, { [fleet.kind.idField]: fleet.idOf(database), ...more })

const texts = (lines: Line[]) => lines.map(({ line }) => line)

function sayAll(site: Site, { appName }: Database, lines: string[]) {
  for (const line of lines) site.engine.say(appName, line)
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
  test('lines come oldest first, each with its time and stream, control characters and all', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    const odd = 'ü 😀 "q" \\ \t\u001b[31mred\u001b[0m \u0000 </script>'
    site.engine.say(up.appName, 'one')
    site.engine.say(up.appName, odd, 'stderr')
    site.engine.say(up.appName, '')
    const lines = await read(site, fleet, up)
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
    const before = await site.everything()
    await read(site, fleet, up)
    assert.deepEqual(await site.everything(), before)
  })

  test('tail and since choose, and without them it is the last 100', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    sayAll(
      site,
      up,
      Array.from({ length: 120 }, (_, at) => `line ${at}`),
    )
    const all = await read(site, fleet, up, { tail: 5000 })
    assert.deepEqual([all.length, all.at(-1)!.line], [120, 'line 119'])
    assert.deepEqual(await read(site, fleet, up), all.slice(20))
    assert.deepEqual(await read(site, fleet, up, { tail: 1, follow: false }), all.slice(119))
    assert.deepEqual(await read(site, fleet, up, { since: all[110]!.at }), all.slice(110))
    assert.deepEqual(await read(site, fleet, up, { since: all[110]!.at, tail: 3 }), all.slice(117))
    site.pass(3600_000)
    sayAll(site, up, ['late'])
    for (const since of ['90s', '15m', '2029-12-31T23:59:00-01:00']) {
      assert.deepEqual(texts(await read(site, fleet, up, { since })), ['late'], since)
    }
    assert.equal((await read(site, fleet, up, { since: '2h', tail: 5000 })).length, 121)
    assert.deepEqual(await read(site, fleet, up, { since: '2100-01-01T00:00:00Z' }), [])
  })

  test('every account may read', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    sayAll(site, up, ['one'])
    const { status, body } = await site.call<Line[]>(
      `${kind.name}.logs`,
      { [kind.idField]: fleet.idOf(up) },
      {},
      site.user,
    )
    assert.deepEqual([status, texts(body)], [200, ['one']])
  })
}

function secretTests(kind: Kind): void {
  test('passwords are masked: those that run, those that are wanted, as URLs and JSON have them', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const [secret] = kind.secrets
    const [first, second] = ['the 1st pass/word', 'the 2nd pass@word']
    serveWith(site, kind, [settingsOf(kind, { [secret!]: first })])
    const up = await fleet.up({ [secret!]: first })
    await fleet.act('update', up, { [secret!]: second })
    const said = [first, second, encodeURIComponent(second), `a ${first} b ${second}${first}`, 'the 3rd password']
    sayAll(site, up, said)
    assert.deepEqual(texts(await read(site, fleet, up)), [
      '********',
      '********',
      '********',
      'a ******** b ****************',
      'the 3rd password',
    ])
  })
}

function emptyTests(kind: Kind): void {
  test('of a service that never ran there is nothing, and the engine is not asked', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const made = await fleet.create()
    site.engine.setDown(true)
    assert.deepEqual(await read(site, fleet, made), [])
    const follower = await followOn(await site.listen(), site.admin, `${kind.name}.logs`, {
      [kind.idField]: fleet.idOf(made),
    })
    assert.deepEqual([follower.status, await follower.ended, follower.lines()], [200, 'whole', []])
    assert.equal(site.engine.calls.logs, 0)
  })

  test('of a stopped service there is what the engine still has', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    await fleet.settle('stop', up)
    assert.deepEqual(await read(site, fleet, up), [])
    sayAll(site, up, ['last words'])
    assert.deepEqual(texts(await read(site, fleet, up)), ['last words'])
  })
}

function refusalTests(kind: Kind): void {
  test('wrong fields are refused by their names, and who is not there is 404', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    for (const tail of ['0', '5001', '-1', '1.5', 'x', '']) {
      await fleet.refused('BAD_REQUEST', 'logs', up, { tail }, 'tail')
    }
    for (const since of ['', 'x', '90', '90x', '-5m', '2030-01-01', '2030-13-01T00:00:00Z', '2030-01-01T00:00:00']) {
      await fleet.refused('BAD_REQUEST', 'logs', up, { since }, 'since')
    }
    for (const follow of ['', 'yes', '1', 'TRUE']) await fleet.refused('BAD_REQUEST', 'logs', up, { follow }, 'follow')
    await site.refused('NOT_FOUND', `${kind.name}.logs`, { [kind.idField]: 'nobody' })
    await site.refused('NOT_FOUND', `${kind.name}.logs`, { [kind.idField]: 'nobody', follow: true })
    await fleet.gone(up)
    await fleet.refused('NOT_FOUND', 'logs', up)
  })

  test('without the engine it is 503, with a time to try again, for those who follow too', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    site.engine.setDown(true)
    for (const follow of [false, true]) {
      const input = { [kind.idField]: fleet.idOf(up), follow }
      const { status, body, headers } = await site.call<Failure>(`${kind.name}.logs`, input)
      assert.deepEqual([status, body.code, headers['retry-after']], [503, 'SERVICE_UNAVAILABLE', '5'])
      assert.match(body.message, /^The engine does not answer/)
    }
  })
}
