/** The chain of the audit log: manipulations of the file are detected, changes by Berth itself are valid. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { AuditTable, Writer } from '../../src/store/schema.ts'
import { housekeep } from '../../src/installation/housekeeping.ts'
import { type Berth, day, type Session, startAuth } from '../accounts/auth-fixture.ts'

let berth: Berth
let ada: Session
beforeEach(async () => {
  berth = await startAuth()
  ada = await berth.createAdmin()
  await makeProjects(9)
})
afterEach(() => berth.close())

interface Head {
  auditId: string
  hash: string
}
interface Check {
  valid: boolean
  entries: number
  brokenAt: string | null
  head: Head | null
}

async function makeProjects(count: number) {
  for (let i = 0; i < count; i++) await berth.call('project.create', { name: `project ${i}` }, ada.accessToken)
}
const check = async () => (await berth.reply<Check>('audit.check', {}, ada.accessToken)).body
const rows = () => berth.rows('audit') as Promise<unknown> as Promise<AuditTable[]>
const auditId = (seq: number) => String(seq).padStart(12, '0')
const set = (tx: Writer, seq: number, changed: Partial<AuditTable>) =>
  tx.updateTable('audit').set(changed).where('seq', '=', seq).execute()

test('a log that nobody touched is valid, and its head is the last entry', async () => {
  const last = (await rows()).at(-1)!
  assert.deepEqual(await check(), {
    valid: true,
    entries: 10,
    brokenAt: null,
    head: { auditId: auditId(10), hash: last.hash },
  })
  const { head } = await check()
  await makeProjects(1)
  const after = await check()
  assert.deepEqual([after.valid, after.entries, after.head!.auditId], [true, 11, auditId(11)])
  assert.notEqual(after.head!.hash, head!.hash)
  const entries = (await berth.reply<{ hash: string }[]>('audit.all', {}, ada.accessToken)).body
  assert.equal(entries.at(-2)!.hash, head!.hash, 'a head that was noted can be found again')
})

const changes: Partial<AuditTable>[] = [
  { at: '2030-01-01T00:00:00.001Z' },
  { kind: 'api' },
  { accountId: null },
  { email: 'eve@example.org' },
  { tokenId: null },
  { address: '' },
  { operation: 'project.update' },
  { record: null },
  { result: 'FORBIDDEN' },
  { previousHash: '' },
  { hash: '0'.repeat(64) },
  { hash: '' },
]
for (const changed of changes) {
  test(`an entry whose ${Object.keys(changed)} was changed is found`, async () => {
    await berth.change((tx) => set(tx, 5, changed))
    const { valid, brokenAt, head } = await check()
    assert.deepEqual([valid, brokenAt, head!.auditId], [false, auditId(5), auditId(4)])
  })
}

test('the first entry and the last are no less bound', async () => {
  await berth.change((tx) => set(tx, 10, { email: 'eve@example.org' }))
  assert.deepEqual((await check()).brokenAt, auditId(10))
  await berth.change((tx) => set(tx, 1, { email: 'eve@example.org' }))
  const { brokenAt, head } = await check()
  assert.deepEqual([brokenAt, head], [auditId(1), null])
})

test('an entry taken out of the middle is found, also with the numbers closed up behind it', async () => {
  await berth.change((tx) => tx.deleteFrom('audit').where('seq', '=', 5).execute())
  assert.equal((await check()).brokenAt, auditId(6))
  const [next] = (await rows()).filter(({ seq }) => seq === 6)
  await berth.change((tx) => set(tx, 6, { seq: 5, previousHash: next!.previousHash }))
  assert.equal((await check()).brokenAt, auditId(5))
})

test('an entry put in is found: a copy, or one with a hash of no key', async () => {
  const all = await rows()
  const copy = all.find(({ seq }) => seq === 3)!
  await berth.change((tx) =>
    tx
      .insertInto('audit')
      .values({ ...copy, seq: 11 })
      .execute(),
  )
  assert.equal((await check()).brokenAt, auditId(11))
  await berth.change((tx) => set(tx, 11, { previousHash: all.at(-1)!.hash }))
  assert.equal((await check()).brokenAt, auditId(11))
})

test('two entries that changed places are found', async () => {
  const all = await rows()
  const [four, five] = [all[3]!, all[4]!]
  await berth.change(async (tx) => {
    await set(tx, 4, { ...five, seq: 4 })
    await set(tx, 5, { ...four, seq: 5 })
  })
  assert.equal((await check()).brokenAt, auditId(4))
  await berth.change(async (tx) => {
    await set(tx, 4, { previousHash: four.previousHash })
    await set(tx, 5, { previousHash: five.hash })
  })
  assert.equal((await check()).brokenAt, auditId(4))
})

test('a log of another Berth in its place is found', async () => {
  await using other = await startAuth()
  await other.createAdmin()
  const foreign = (await other.rows('audit')) as unknown as AuditTable[]
  await berth.change(async (tx) => {
    await tx.deleteFrom('audit').execute()
    await tx.insertInto('audit').values(foreign).execute()
  })
  assert.equal((await check()).brokenAt, auditId(1))
})

test('calls at once give a chain without gaps', async () => {
  const calls = Array.from({ length: 50 }, (_, i) =>
    berth.reply(
      'project.create',
      { name: i % 5 === 0 ? 'with a key' : 'one' },
      ada.accessToken,
      i % 5 === 0 ? { 'idempotency-key': `${i % 10}` } : {},
    ),
  )
  const refusals = Array.from({ length: 20 }, () => berth.reply('user.remove', { userId: 'x' }, ada.accessToken))
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  await Promise.all(refusals)
  const done = statuses.filter((status) => status === 200).length
  const seqs = (await rows()).map(({ seq }) => seq)
  assert.deepEqual(
    seqs,
    seqs.map((_, i) => i + 1),
  )
  assert.ok(done >= 42)
  const { valid, entries } = await check()
  assert.deepEqual([valid, entries], [true, seqs.length])
  const results = (await rows()).map(({ operation, result }) => `${operation} ${result}`)
  assert.equal(results.filter((it) => it === 'user.remove NOT_FOUND').length, 20)
})

test('the chain goes on after a restart, and over more than a page', async () => {
  await berth.restart()
  await Promise.all(Array.from({ length: 600 }, () => makeProjects(1)))
  const { valid, entries } = await check()
  assert.deepEqual([valid, entries], [true, 610])
  await berth.change((tx) => set(tx, 600, { record: 'x' }))
  const { brokenAt, head } = await check()
  assert.deepEqual([brokenAt, head!.auditId], [auditId(600), auditId(599)])
})

const clean = () => housekeep(berth.change, berth.now())

test('entries past 400 days go, from the beginning, and the chain still checks', async () => {
  berth.pass(200 * day)
  const { accessToken } = await berth.login()
  berth.pass(200 * day)
  await clean()
  assert.equal((await rows()).length, 11, 'not a moment sooner')
  berth.pass(1)
  await clean()
  assert.deepEqual(
    (await rows()).map(({ seq }) => seq),
    [11],
  )
  ada = { ...ada, accessToken: (await berth.login()).accessToken }
  assert.notEqual(accessToken, ada.accessToken)
  assert.deepEqual(
    (await rows()).map(({ seq }) => seq),
    [11, 12],
  )
  assert.deepEqual([(await check()).valid, (await check()).entries], [true, 2])
})

test('the last entry stays, however old, for the next one to follow', async () => {
  berth.pass(4000 * day)
  await clean()
  assert.deepEqual(
    (await rows()).map(({ seq }) => seq),
    [10],
  )
  ada = { ...ada, accessToken: (await berth.login()).accessToken }
  assert.deepEqual([(await check()).valid, (await rows()).at(-1)!.seq], [true, 11])
})

test('an entry that a wrong clock made old leaves no gap when housekeeping comes', async () => {
  berth.pass(-1000 * day)
  await berth.call('project.create', { name: 'at a boot without a clock' }, ada.accessToken)
  berth.pass(1000 * day)
  await makeProjects(2)
  await clean()
  assert.equal((await rows()).length, 13)
  assert.equal((await check()).valid, true)
})
