/** The settings of a server that a restore changes: they are set back, whatever ends the restore. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { until } from '../engine/until.ts'
import { openShop, pauseJobs, type Shop, usualSetting } from './restores.ts'

let shop: Shop
let source: { backupId: string; runId: string }
beforeEach(async () => {
  shop = await openShop()
  const backupId = await shop.backup('nightly')
  source = { backupId, runId: (await shop.dump(backupId)).runId }
})
afterEach(() => shop[Symbol.asyncDispose]())

const recorded = async () =>
  (await shop.testBerth.app.db.selectFrom('volume').select('restoreSettings').executeTakeFirstOrThrow()).restoreSettings

/** Starts a restore, and pauses it after it has changed the setting. */
async function pauseChanged() {
  const load = pauseJobs(shop, 'load')
  const run = await shop.restore(source)
  await load.begun
  assert.match(`${await recorded()}`, new RegExp(`"max_allowed_packet":${usualSetting}`), 'stored before the change')
  shop.setting.value = 1024 ** 3
  return run
}

test('a restore sets them back before it ends', async () => {
  const run = await shop.waitForEnd((await shop.restore(source)).runId)
  assert.deepEqual([run.status, shop.setting.value, await recorded()], ['done', usualSetting, null])
})

test('a restore that is cancelled sets them back', async () => {
  const { runId } = await pauseChanged()
  await shop.testBerth.ok('backup.cancel', { runId })
  const run = await shop.waitForEnd(runId)
  assert.deepEqual([run.status, shop.setting.value, await recorded()], ['error', usualSetting, null])
})

test('Berth sets them back after its next start, and a restore until then does not take them for the usual ones', async () => {
  const { runId } = await pauseChanged()
  shop.setting.isFixed = true
  await shop.testBerth.restart(async () => {
    shop.before.do = () => undefined
  })
  assert.equal((await shop.waitForEnd(runId)).status, 'error')
  const next = await shop.waitForEnd((await shop.restore(source)).runId)
  assert.deepEqual([next.status, shop.setting.value], ['done', 1024 ** 3])
  await shop.testBerth.restart(async () => {
    shop.setting.isFixed = false
  })
  await until('the record to be cleared', async () => ((await recorded()) === null ? true : null))
  assert.equal(shop.setting.value, usualSetting)
})

test('a server that was replaced keeps its own settings', async () => {
  const { runId } = await pauseChanged()
  shop.setting.isFixed = true
  await shop.testBerth.restart(async () => {
    shop.before.do = () => undefined
  })
  await shop.waitForEnd(runId)
  shop.testBerth.engine.replaceTask(shop.database.appName)
  await shop.testBerth.restart()
  await until('the record to be cleared', async () => ((await recorded()) === null ? true : null))
  assert.equal(shop.setting.value, 1024 ** 3, 'nothing was set')
})
