/** A clock that is wrong for some time deletes nothing, keeps nothing alive, and is trusted again by a witness or a person. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import { issueInvitation } from '../../src/accounts/invitations.ts'
import { issueToken, sessionMs } from '../../src/accounts/tokens.ts'
import { insertRun } from '../../src/backups/run-queries.ts'
import { expireOlderDumps } from '../../src/backups/retention/expired.ts'
import { expireSafetyDumps } from '../../src/backups/runs/safety-dump.ts'
import { clockLoop } from '../../src/installation/clock/loop.ts'
import { housekeepingLoop } from '../../src/installation/housekeeping.ts'
import { createDestination } from '../backups/backups.ts'
import { afterTurn, readConditions, untilPresent } from '../conditions/conditions.ts'
import { type Input, startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'

const [second, hour] = [1000, 3600_000]
const day = 24 * hour
const year = 365 * day

let testBerth: TestBerth
let destinationId: string
let backupId: string
before(async () => {
  testBerth = await startTestBerth({}, {}, () => true)
  destinationId = await createDestination(testBerth)
  const state = { destinationId, schedule: '0 3 1 1 *', enabled: false, keepDays: 30 }
  await testBerth.ok('state.schedule', state)
  const row = await testBerth.app.db.selectFrom('backup').select('id').executeTakeFirstOrThrow()
  backupId = row.id
})
afterEach(clear)
after(() => testBerth.close())

const trustByPerson = () => testBerth.ok<Input>('clock.trust', { time: testBerth.now().toISOString() })
const clockOf = () => testBerth.ok<{ trusted: boolean; reasonCode: string | null; expected: string }>('clock.status')

/** A turn of the loop of the clock, and everything that deletes records for their age. */
async function turn() {
  const { app } = testBerth
  await clockLoop({ ...app, storage: {} }, () => true).turn(new AbortController().signal)
  await housekeepingLoop(app).turn(new AbortController().signal)
  await expireSafetyDumps(app)
  await app.transact(async (tx) => {
    const newest = await tx
      .selectFrom('backupRun')
      .selectAll()
      .where('backupId', '=', backupId)
      .orderBy('id', 'desc')
      .executeTakeFirst()
    if (newest !== undefined) await expireOlderDumps(tx, newest, app.now(), app.clock.trusted())
  })
}

/** Inserts records of each kind that expires, as Berth makes them. @returns their ids, and the token of the session */
async function addRecords() {
  const { app } = testBerth
  const [session, invitation, safety, dump, older, api] = Array.from({ length: 6 }, app.newId)
  const accounts = await app.db.selectFrom('account').select('id').execute()
  const accountId = accounts[0]!.id
  const at = app.now()
  const common = { action: 'dump', kind: 'state', databaseId: '', database: 'state', destinationId } as const
  const ended = { status: 'done', finishedAt: at.toISOString(), manifest: '{}' } as const
  return app.transact(async (tx) => {
    const owner = { accountId, address: 'case' }
    const issued = await issueToken(tx, { id: session!, kind: 'session', ...owner }, app.clock.latest())
    const expiresAt = new Date(at.getTime() + 100 * day).toISOString()
    await issueToken(tx, { id: api!, kind: 'api', ...owner, scope: 'read', name: api!, expiresAt }, app.clock.latest())
    const invited = { id: invitation!, email: `${invitation}@example.org`, rol: 'user', invitedBy: accountId } as const
    await issueInvitation(tx, invited, app.clock.latest())
    const until = new Date(at.getTime() + 7 * day).toISOString()
    await insertRun(tx, { ...common, ...ended, id: safety!, trigger: 'safety', key: safety!, expiresAt: until }, at)
    for (const id of [older!, dump!]) {
      await insertRun(tx, { ...common, ...ended, id, backupId, trigger: 'manual', key: id }, at)
    }
    return { token: issued.token, ids: [session!, invitation!, safety!, dump!, older!, api!] }
  })
}

/** The ids of all records that can expire, and the numbers of audit entries. A dump without a key is deleted. */
async function present(): Promise<Set<string>> {
  const { db } = testBerth.app
  const rows = await Promise.all([
    db.selectFrom('token').select('id').execute(),
    db.selectFrom('invitation').select('id').execute(),
    db.selectFrom('backupRun').select('id').where('key', 'is not', null).execute(),
    db.selectFrom('audit').select('seq as id').execute(),
  ])
  return new Set(rows.flat().map(({ id }) => String(id)))
}

async function checkKept(ids: Iterable<string>) {
  const found = await present()
  assert.deepEqual(
    [...ids].filter((id) => !found.has(id)),
    [],
  )
}

const statusAs = async (token: string) => (await testBerth.call('auth.get', {}, {}, token)).status

/** Sets the clock right after a case, and removes its records. Renews the sessions of the test. */
async function clear() {
  testBerth.setRight()
  const at = testBerth.now()
  const renewed = {
    createdAt: at.toISOString(),
    lastUsedAt: at.toISOString(),
    expiresAt: new Date(at.getTime() + sessionMs).toISOString(),
  }
  const { app } = testBerth
  await app.transact(async (tx) => {
    await tx.deleteFrom('backupRun').execute()
    await tx.deleteFrom('invitation').execute()
    await tx.deleteFrom('token').where('address', '=', 'case').execute()
    await tx.updateTable('token').set(renewed).execute()
  })
  await trustByPerson()
}

const restarts = ['no restart', 'a restart', 'a start of the machine'] as const
const jumps = [day, year, 10 * year].flatMap((ms) => [ms, -ms])
const all = jumps.flatMap((jumpMs, jump) =>
  [second, hour, 2 * day].flatMap((passedMs, passed) =>
    restarts.map((restart, how) => ({ jumpMs, passedMs, restart, isOrdinary: jump % 3 === passed && passed === how })),
  ),
)
/** The ordinary run has each jump once, each time that passes and each restart twice. BERTH_CLOCK_CASES=all: all 54. */
const cases = all.filter(({ isOrdinary }) => isOrdinary || process.env.BERTH_CLOCK_CASES === 'all')

async function restartAs(restart: (typeof restarts)[number]) {
  if (restart === 'a start of the machine') testBerth.reboot()
  if (restart !== 'no restart') await testBerth.restart()
}

for (const { jumpMs, passedMs, restart } of cases) {
  test(`nothing is deleted by ${jumpMs / day} days for ${passedMs / second} s with ${restart}`, async () => {
    await turn()
    const earlier = await addRecords()
    testBerth.setClock(jumpMs)
    await restartAs(restart)
    await turn()
    const meanwhile = await addRecords()
    assert.equal(await statusAs(meanwhile.token), 200, 'a new session is valid')
    assert.equal(
      await statusAs(earlier.token),
      jumpMs > 30 * day ? 401 : 200,
      'an old session is valid by the later time',
    )
    assert.equal(testBerth.app.clock.trusted(), null)
    const entries = await present()
    testBerth.pass(passedMs)
    await turn()
    await checkKept(entries)
    testBerth.setClock(-jumpMs)
    await restartAs(restart)
    if (restart === 'a start of the machine' && passedMs >= hour) await trustByPerson()
    await turn()
    assert.notEqual(testBerth.app.clock.trusted(), null)
    await checkKept(entries)
    for (const { token } of [earlier, meanwhile]) assert.equal(await statusAs(token), 200)
    await checkTimes([...earlier.ids, ...meanwhile.ids])
  })
}

/** No record lives longer than one that was made now, and a later run has the greater id. */
async function checkTimes(ids: string[]) {
  const { db, newId } = testBerth.app
  const latest = testBerth.now().getTime() + sessionMs
  const tokens = await db.selectFrom('token').selectAll().where('id', 'in', ids).where('kind', '=', 'session').execute()
  const runs = await db.selectFrom('backupRun').selectAll().where('id', 'in', ids).execute()
  const ends = [...tokens, ...runs].map(({ expiresAt }) => Date.parse(expiresAt ?? ''))
  assert.deepEqual(
    ends.filter((end) => end > latest),
    [],
  )
  const next = newId()
  assert.deepEqual(
    runs.filter(({ id }) => id > next),
    [],
  )
}

test('an expired session stays expired when the clock goes back', async () => {
  const { token } = await addRecords()
  testBerth.pass(8 * day)
  assert.equal(await statusAs(token), 401)
  testBerth.setClock(-30 * day)
  assert.equal(await statusAs(token), 401)
})

test('a person who knows the time gives the trust back, and the call is in the audit log', async () => {
  testBerth.setClock(day)
  const wrong = testBerth.now().getTime() - day
  await testBerth.refused('PRECONDITION_FAILED', 'clock.trust', { time: new Date(wrong).toISOString() }, 'time')
  assert.deepEqual([(await clockOf()).trusted, (await clockOf()).reasonCode], [false, 'ClockSet'])
  assert.match(await testBerth.app.metrics(), /^berth_clock_trusted 0$/m)
  await afterTurn(testBerth)
  const { ClockUntrusted: found } = await untilPresent(testBerth, 'ClockUntrusted')
  assert.deepEqual([found!.severity, found!.subjectKind, found!.reasonCode], ['warning', 'clock', 'ClockSet'])
  assert.equal((await trustByPerson()).trusted, true)
  assert.match(await testBerth.app.metrics(), /^berth_clock_trusted 1$/m)
  await afterTurn(testBerth)
  assert.deepEqual(await readConditions(testBerth), [])
  const [entry] = await testBerth.ok<{ operation: string }[]>('audit.all', { operation: 'clock.trust', limit: 1 })
  assert.equal(entry?.operation, 'clock.trust')
})

/** The time that a server on another machine answers, relative to the machine of Berth. */
const witnesses: [what: string, aheadMs: number, isOwn: boolean, isTrusted: boolean][] = [
  ['the same time', 0, false, true],
  ['a time four minutes later', 4 * 60_000, false, true],
  ['a time an hour later', hour, false, false],
  ['the same time, but from the same machine', 0, true, false],
]
for (const [what, aheadMs, isOwn, isTrusted] of witnesses) {
  test(`a storage that answers ${what} ${isTrusted ? 'gives the trust back' : 'gives no trust'}`, async (t) => {
    testBerth.setClock(day)
    const server = createServer((_request, response) => {
      response.setHeader('date', new Date(testBerth.now().getTime() + aheadMs).toUTCString())
      response.statusCode = 403
      response.end()
    })
    t.after(() => server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const secretAccessKey = 'a-secret-of-the-storage'
    const fields = { accessKey: 'key', secretAccessKey, bucket: 'backups', region: '', endpoint }
    const created = await testBerth.ok<{ destinationId: string }>('destination.create', { name: what, ...fields })
    await clockLoop({ ...testBerth.app, storage: {} }, () => isOwn).turn(new AbortController().signal)
    assert.equal((await clockOf()).trusted, isTrusted)
    await testBerth.ok('destination.remove', { destinationId: created.destinationId })
  })
}
