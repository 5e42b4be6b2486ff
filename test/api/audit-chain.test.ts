/** The chain of the audit log: audit.check detects manipulation of the database file and accepts changes by Berth. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { appendMachineEntry } from '../../src/api/audit-log.ts'
import type { AuditTable, Writer } from '../../src/store/schema.ts'
import { housekeep } from '../../src/installation/housekeeping.ts'
import { type Berth, day, type Session, startAuth } from '../accounts/auth-fixture.ts'

let berth: Berth
let ada: Session
beforeEach(async () => {
  berth = await startAuth()
  ada = await berth.createAdmin()
  await createProjects(9)
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

async function createProjects(count: number) {
  for (let i = 0; i < count; i++) await berth.call('project.create', { name: `project ${i}` }, ada.accessToken)
}
const check = async () => (await berth.reply<Check>('audit.check', {}, ada.accessToken)).body
const rows = () => berth.rows('audit') as Promise<unknown> as Promise<AuditTable[]>
const auditId = (seq: number) => String(seq).padStart(12, '0')
const updateEntry = (tx: Writer, seq: number, changed: Partial<AuditTable>) =>
  tx.updateTable('audit').set(changed).where('seq', '=', seq).execute()

test('an unchanged log is valid, and its head is the last entry', async () => {
  const last = (await rows()).at(-1)!
  assert.deepEqual(await check(), {
    valid: true,
    entries: 10,
    brokenAt: null,
    head: { auditId: auditId(10), hash: last.hash },
  })
  const { head } = await check()
  await createProjects(1)
  const after = await check()
  assert.deepEqual([after.valid, after.entries, after.head!.auditId], [true, 11, auditId(11)])
  assert.notEqual(after.head!.hash, head!.hash)
  const entries = (await berth.reply<{ hash: string }[]>('audit.all', {}, ada.accessToken)).body
  assert.equal(entries.at(-2)!.hash, head!.hash, 'an earlier head is still in the log')
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
  test(`detects a changed field ${Object.keys(changed)}: ${Object.values(changed)}`, async () => {
    await berth.change((tx) => updateEntry(tx, 5, changed))
    const { valid, brokenAt, head } = await check()
    assert.deepEqual([valid, brokenAt, head!.auditId], [false, auditId(5), auditId(4)])
  })
}

test('detects a change of the first or last entry', async () => {
  await berth.change((tx) => updateEntry(tx, 10, { email: 'eve@example.org' }))
  assert.deepEqual((await check()).brokenAt, auditId(10))
  await berth.change((tx) => updateEntry(tx, 1, { email: 'eve@example.org' }))
  const { brokenAt, head } = await check()
  assert.deepEqual([brokenAt, head], [auditId(1), null])
})

test('detects a removed entry, also if the following entry was renumbered', async () => {
  await berth.change((tx) => tx.deleteFrom('audit').where('seq', '=', 5).execute())
  assert.equal((await check()).brokenAt, auditId(6))
  const [next] = (await rows()).filter(({ seq }) => seq === 6)
  await berth.change((tx) => updateEntry(tx, 6, { seq: 5, previousHash: next!.previousHash }))
  assert.equal((await check()).brokenAt, auditId(5))
})

test('detects an inserted entry', async () => {
  const all = await rows()
  const copy = all.find(({ seq }) => seq === 3)!
  await berth.change((tx) =>
    tx
      .insertInto('audit')
      .values({ ...copy, seq: 11 })
      .execute(),
  )
  assert.equal((await check()).brokenAt, auditId(11))
  await berth.change((tx) => updateEntry(tx, 11, { previousHash: all.at(-1)!.hash }))
  assert.equal((await check()).brokenAt, auditId(11))
})

test('detects two swapped entries', async () => {
  const all = await rows()
  const [four, five] = [all[3]!, all[4]!]
  await berth.change(async (tx) => {
    await updateEntry(tx, 4, { ...five, seq: 4 })
    await updateEntry(tx, 5, { ...four, seq: 5 })
  })
  assert.equal((await check()).brokenAt, auditId(4))
  await berth.change(async (tx) => {
    await updateEntry(tx, 4, { previousHash: four.previousHash })
    await updateEntry(tx, 5, { previousHash: five.hash })
  })
  assert.equal((await check()).brokenAt, auditId(4))
})

test('detects the log of another installation', async () => {
  await using other = await startAuth()
  await other.createAdmin()
  const foreign = (await other.rows('audit')) as unknown as AuditTable[]
  await berth.change(async (tx) => {
    await tx.deleteFrom('audit').execute()
    await tx.insertInto('audit').values(foreign).execute()
  })
  assert.equal((await check()).brokenAt, auditId(1))
})

test('concurrent calls append to the chain without gaps', async () => {
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
  const successful = statuses.filter((status) => status === 200).length
  const numbers = (await rows()).map(({ seq }) => seq)
  assert.deepEqual(
    numbers,
    numbers.map((_, i) => i + 1),
  )
  assert.ok(successful >= 42)
  const { valid, entries } = await check()
  assert.deepEqual([valid, entries], [true, numbers.length])
  const results = (await rows()).map(({ operation, result }) => `${operation} ${result}`)
  assert.equal(results.filter((it) => it === 'user.remove NOT_FOUND').length, 20)
})

test('the chain continues after a restart and over several pages', async () => {
  await berth.restart()
  await Promise.all(Array.from({ length: 600 }, () => createProjects(1)))
  const { valid, entries } = await check()
  assert.deepEqual([valid, entries], [true, 610])
  await berth.change((tx) => updateEntry(tx, 600, { record: 'x' }))
  const { brokenAt, head } = await check()
  assert.deepEqual([brokenAt, head!.auditId], [auditId(600), auditId(599)])
})

const deleteOldEntries = () => housekeep(berth.change, berth.now())

test('housekeeping deletes entries older than 400 days, and the chain stays valid', async () => {
  berth.pass(200 * day)
  const { accessToken } = await berth.login()
  berth.pass(200 * day)
  await deleteOldEntries()
  assert.equal((await rows()).length, 11, 'not before 400 days have passed')
  berth.pass(1)
  await deleteOldEntries()
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

test('housekeeping keeps the last entry, because the next one follows it', async () => {
  berth.pass(4000 * day)
  await deleteOldEntries()
  assert.deepEqual(
    (await rows()).map(({ seq }) => seq),
    [10],
  )
  ada = { ...ada, accessToken: (await berth.login()).accessToken }
  assert.deepEqual([(await check()).valid, (await rows()).at(-1)!.seq], [true, 11])
})

test('housekeeping leaves no gap at an entry with a wrong, old date', async () => {
  const longAgo = new Date(berth.now().getTime() - 1000 * day)
  await berth.change((tx) => appendMachineEntry(tx, berth.app.vault, 'machine.atBoot', null, longAgo))
  await createProjects(2)
  await deleteOldEntries()
  assert.equal((await rows()).length, 13)
  assert.equal((await check()).valid, true)
})
