/** Which dump a restore takes by default, and which one undoes it: never a safety dump unless it is named. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { run as runCommand } from '../../cli/program.ts'
import { Lines } from '../cli/cli-fixture.ts'
import { pauseJobs, openShop, row, type Run, type Shop } from './restores.ts'
import type { Input } from '../fixtures/test-berth.ts'

interface Restorable {
  newest: Run | null
  undo: Run | null
  noUndo: { reason: string; message: string } | null
}

let shop: Shop
let backupId: string
let url: string
beforeEach(async () => {
  shop = await openShop()
  backupId = await shop.backup('nightly')
  url = await shop.testBerth.listen()
})
afterEach(() => shop[Symbol.asyncDispose]())

const restorable = (input: Input = { serviceId: shop.database.mysqlId }) =>
  shop.testBerth.ok<Restorable>('backup.restorable', input)

/** Makes a dump of row 1, and damages the database: row 2. @returns the run of the dump */
async function damagedShop(): Promise<Run> {
  const dump = await shop.dump(backupId)
  shop.data.text = row(2)
  return dump
}

/** `berth backup restore` with these words, for the database of the shop. */
async function restoreByCommand(...words: string[]) {
  const { testBerth, database } = shop
  const [stdout, stderr] = [new Lines(), new Lines()]
  const env = { BERTH_URL: url, BERTH_TOKEN: testBerth.admin }
  const args = ['backup', 'restore', database.appName, ...words]
  const status = await runCommand(args, env, { stdout, stderr }, new AbortController().signal)
  return { status, stdout: stdout.text, stderr: stderr.text }
}

test('a repeated restore takes the same dump as the first one', async () => {
  const { runId } = await damagedShop()
  for (const time of ['first', 'second', 'third']) {
    const { newest } = await restorable()
    assert.deepEqual([newest?.runId, newest?.trigger], [runId, 'manual'], time)
    assert.deepEqual((await restorable({ backupId })).newest?.runId, runId, time)
    const { status } = await shop.waitForEnd((await shop.restore({ runId: newest!.runId })).runId)
    assert.deepEqual([status, shop.data.text], ['done', row(1)], time)
  }
})

test('the command restores the same dump again, and the damage only with --undo', async () => {
  await damagedShop()
  const question = await restoreByCommand()
  assert.equal(question.status, 2)
  assert.match(
    question.stderr,
    /by the manual dump of \d{4}-\d\d-\d\d \d\d:\d\d UTC \(.*\), with 1 row, of .*What changed since \d{4}/,
  )
  for (const time of ['first', 'second']) {
    const { status, stdout, stderr } = await restoreByCommand('--yes')
    assert.deepEqual([status, shop.data.text], [0, row(1)], `${time}: ${stderr}`)
    assert.match(stdout, /It loads the manual dump of .*with 1 row/)
    assert.match(stdout, /To undo it, .*berth backup restore \S+ --undo/)
    if (time === 'first') {
      const undo = await restoreByCommand('--undo')
      assert.match(undo.stderr, /by the safety dump of /)
      const undone = await restoreByCommand('--undo', '--yes')
      assert.deepEqual([undone.status, shop.data.text], [0, row(2)], undone.stderr)
    }
  }
  const both = await restoreByCommand('--undo', '--run', 'r')
  assert.deepEqual([both.status, /Give --undo without/.test(both.stderr)], [2, true])
})

test('undoes the last restore by its safety dump, and says so if there is none', async () => {
  assert.deepEqual(
    [await restorable()].map(({ newest, undo, noUndo }) => [newest, undo, noUndo?.reason]),
    [[null, null, 'NothingReplaced']],
  )
  const { runId } = await damagedShop()
  const nothing = await restoreByCommand('--undo', '--yes')
  assert.deepEqual([nothing.status, /nothing to undo/.test(nothing.stderr)], [3, true])
  const first = await shop.waitForEnd((await shop.restore({ runId })).runId)
  const { undo, noUndo } = await restorable()
  assert.deepEqual([undo?.runId, undo?.trigger, noUndo], [first.safetyRunId, 'safety', null])
  // A new service replaces nothing.
  await shop.waitForEnd((await shop.testBerth.ok<Run>('backup.restore', { runId, appName: 'copy' })).runId)
  assert.equal((await restorable()).undo?.runId, first.safetyRunId)
  await shop.waitForEnd((await shop.restore({ runId, skipSafetyDump: true })).runId)
  assert.equal((await restorable()).noUndo?.reason, 'NotMade')
  const refused = await restoreByCommand('--undo', '--yes')
  assert.deepEqual([refused.status, /made no safety dump.*\n.*backup ls/.test(refused.stderr)], [3, true])
  assert.equal(shop.data.text, row(1))
})

test('refuses to undo by a deleted safety dump', async () => {
  const { runId } = await damagedShop()
  const { safetyRunId } = await shop.waitForEnd((await shop.restore({ runId })).runId)
  await shop.testBerth.app.transact((tx) =>
    tx.updateTable('backupRun').set({ key: null, manifest: null }).where('id', '=', safetyRunId!).execute(),
  )
  const { undo, noUndo } = await restorable()
  assert.deepEqual([undo, noUndo?.reason], [null, 'SafetyDumpDeleted'])
})

test('a restore that has not begun to load does not count as the last one', async () => {
  const { runId } = await damagedShop()
  const first = await shop.waitForEnd((await shop.restore({ runId })).runId)
  const dump = pauseJobs(shop, 'dump')
  const second = await shop.restore({ runId })
  await dump.begun
  assert.equal((await restorable()).undo?.runId, first.safetyRunId)
  await shop.testBerth.ok('backup.cancel', { runId: second.runId })
  await shop.waitForEnd(second.runId)
  assert.equal((await restorable()).undo?.runId, first.safetyRunId)
})

test('the answer of a restore says the kind, the time and the rows of its dump', async () => {
  const { runId, startedAt } = await damagedShop()
  const { dump, ...run } = await shop.restore({ runId })
  assert.deepEqual(dump, { trigger: 'manual', startedAt, rowCount: 1 })
  await shop.waitForEnd(run.runId)
  const { undo } = await restorable()
  const undone = await shop.restore({ runId: undo!.runId })
  assert.deepEqual(undone.dump, { trigger: 'safety', startedAt: undo!.startedAt, rowCount: 1 })
  await shop.waitForEnd(undone.runId)
})

test('needs either a service or a backup', async () => {
  for (const input of [{}, { serviceId: shop.database.mysqlId, backupId }]) {
    await shop.testBerth.refused('BAD_REQUEST', 'backup.restorable', input, 'serviceId')
  }
  await shop.testBerth.refused('NOT_FOUND', 'backup.restorable', { backupId: 'none' })
})
