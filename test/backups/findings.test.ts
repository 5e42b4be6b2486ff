/** Findings of dumps: what runs, conditions, drills and restores make of them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openShop, row, type Run, type Shop } from './restores.ts'
import type { Input } from '../fixtures/test-berth.ts'
import { until } from '../engine/until.ts'

const hex = (text: string) => Buffer.from(text).toString('hex')
const broken = `-- Berth: ViewBroken VIEW ${hex('v')} ${hex('1146')} ${hex("Table 'shop.a' doesn't exist")}\n`
const undefinedTrigger = `-- Berth: DefinerMissing TRIGGER ${hex('t')} ${hex('gone@%')}\n`
const needing = (type: string, name: string) => `-- Berth: DatabaseNeeded ${type} ${hex(name)} ${hex('crm')}\n`
const named = `-- Berth: Database ${hex('shop')}\n`
const boundView = 'CREATE ALGORITHM=MERGE VIEW `v` AS select `shop`.`t`.`a` from `t`;\n'

interface FoundRun extends Run {
  findings: { reason: string; type: string; name: string; isLeftOut: boolean }[]
  findingCount: number
  needs: string[]
  verification: string | null
  verificationReason: string | null
}

let shop: Shop
let backupId: string
before(async () => {
  shop = await openShop()
  backupId = await shop.backup('nightly', { verifySchedule: '0 4 1 1 *' })
})
after(() => shop[Symbol.asyncDispose]())

/** Makes a good dump of a database with this content. */
async function dump(text: string): Promise<FoundRun> {
  shop.data.text = text
  const run = (await shop.dump(backupId)) as FoundRun
  assert.equal(run.status, 'done', run.reason ?? '')
  return run
}

async function conditions(): Promise<{ name: string; severity: string; reason: string }[]> {
  const all = await shop.testBerth.ok<{ name: string; severity: string; reason: string }[]>('condition.all', {})
  return all.filter(({ name }) => name.startsWith('Backup'))
}

const restoreInto = (runId: string, more: Input) =>
  shop.testBerth.call<{ message: string; issues?: { path: string }[] } & Run>('backup.restore', { runId, ...more })

test('a run and its manifest name what was left out, and a condition until a later dump has no faults', async () => {
  const run = await dump(broken + undefinedTrigger + needing('VIEW', 'w') + row(1))
  assert.deepEqual(
    run.findings.map(({ reason, type, name, isLeftOut }) => [reason, type, name, isLeftOut]),
    [
      ['ViewBroken', 'VIEW', 'v', true],
      ['DefinerMissing', 'TRIGGER', 't', false],
      ['DatabaseNeeded', 'VIEW', 'w', false],
    ],
  )
  assert.deepEqual([run.findingCount, run.needs], [3, ['crm']])
  const manifest = await shop.testBerth.ok<FoundRun>('backup.manifest', { runId: run.runId })
  assert.deepEqual([manifest.findings, manifest.needs], [run.findings, run.needs])
  shop.testBerth.app.wake('conditions')
  const [condition] = await until('the condition', async () => {
    const present = await conditions()
    return present.length > 0 ? present : null
  })
  assert.deepEqual([condition!.name, condition!.severity], ['BackupIncomplete', 'warning'])
  assert.match(
    condition!.reason,
    /2 objects of the database are at fault.*view v cannot be read.*DROP VIEW `v`.*trigger t/,
  )
  await dump(row(1))
  shop.testBerth.app.wake('conditions')
  await until('the end of the condition', async () => (await conditions()).length === 0)
})

test('a drill cannot verify a dump whose views need another database, and this is no failure', async () => {
  const { runId } = await dump(needing('VIEW', 'w') + row(1))
  const { runId: drillId } = await shop.testBerth.ok<Run>('backup.verify', { backupId })
  const drill = (await shop.waitForEnd(drillId)) as FoundRun
  assert.deepEqual([drill.status, drill.verification], ['done', 'notVerifiable'])
  assert.match(drill.verificationReason!, /^Not verifiable: needs crm\b/)
  const verified = (await shop.run(runId)) as FoundRun
  assert.deepEqual(
    [verified.verification, verified.verificationReason, verified.verifiedAt],
    ['notVerifiable', drill.verificationReason, null],
  )
  shop.testBerth.app.wake('conditions')
  await shop.testBerth.ok('condition.all', {})
  assert.deepEqual(await conditions(), [])
})

test('a drill does not take memory that the node lacks, and this is no failure', async () => {
  const { runId } = await dump(row(1))
  const { engine } = shop.testBerth
  const { freeBytes } = engine
  engine.freeBytes = 100 * 1024 ** 2
  const { runId: drillId } = await shop.testBerth.ok<Run>('backup.verify', { backupId })
  const drill = (await shop.waitForEnd(drillId)) as FoundRun
  engine.freeBytes = freeBytes
  assert.deepEqual([drill.status, drill.verification], ['done', 'notVerifiable'])
  assert.match(drill.verificationReason!, /needs 256 MiB of memory, and the node of Berth has 100 MiB/)
  assert.equal(((await shop.run(runId)) as FoundRun).verification, 'notVerifiable')
})

test('a new service for a dump that needs another database needs a word of the caller', async () => {
  const { runId } = await dump(needing('TABLE', 'f') + row(1))
  const { status, body } = await restoreInto(runId, { appName: 'copy' })
  assert.deepEqual([status, body.issues?.map(({ path }) => path)], [412, ['withoutNeeds']])
  assert.match(
    body.message,
    /the table f of the dump need the databases crm, .* restore a dump of crm into a new service/,
  )
  const answer = await restoreInto(runId, { appName: 'copy', withoutNeeds: true })
  assert.equal(answer.status, 200, answer.body.message)
  assert.equal((await shop.waitForEnd(answer.body.runId)).status, 'done')
})

test('a restore is refused before it changes anything if the server lacks a database that a view needs', async () => {
  const { runId } = await dump(needing('VIEW', 'w') + row(1))
  shop.data.text = row(2)
  const refused = await shop.waitForEnd((await shop.restore({ runId })).runId)
  assert.deepEqual([refused.status, refused.reasonCode, refused.safetyRunId], ['error', 'DatabasesMissing', null])
  assert.equal(shop.data.text, row(2))
  shop.databases.push('crm')
  const { status } = await shop.waitForEnd((await shop.restore({ runId })).runId)
  assert.deepEqual([status, shop.data.text], ['done', needing('VIEW', 'w') + row(1)])
})

test('a restore under another name is refused if objects name the dumped database, and else works', async () => {
  const own = { mysqlId: shop.database.mysqlId, confirm: shop.database.appName, database: 'copy' }
  const bound = await dump(named + row(1) + boundView)
  const { status, body } = await restoreInto(bound.runId, own)
  assert.deepEqual([status, body.issues?.map(({ path }) => path)], [400, ['database']])
  assert.match(body.message, /must be shop or left out: the dump has objects that name the database shop: the view v$/)
  const old = await dump(row(1) + boundView)
  assert.match((await restoreInto(old.runId, own)).body.message, /older version of Berth .* \(view\)/)
  for (const text of [named + row(1), row(1)]) {
    const plain = await dump(text)
    const answer = await restoreInto(plain.runId, own)
    assert.equal(answer.status, 200, answer.body.message)
    await shop.waitForEnd(answer.body.runId)
  }
})
