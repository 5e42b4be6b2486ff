/**
 * The settings of a server that a restore into a new service changes: they are set back, whatever ends the restore. A
 * restore into an existing service changes those of a temporary server.
 */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { until } from '../engine/until.ts'
import { openShop, pauseJobs, type Run, type Shop, usualSetting } from './restores.ts'

let shop: Shop
let source: { backupId: string; runId: string }
beforeEach(async () => {
  shop = await openShop()
  const backupId = await shop.backup('nightly')
  source = { backupId, runId: (await shop.dump(backupId)).runId }
})
afterEach(() => shop[Symbol.asyncDispose]())

const recorded = async () => {
  const rows = await shop.testBerth.app.db
    .selectFrom('volume')
    .select('restoreSettings')
    .orderBy('id', 'desc')
    .execute()
  return rows[0]!.restoreSettings
}

const restore = () => shop.testBerth.ok<Run>('backup.restore', { ...source, appName: 'new-service' })

/** Starts a restore, pauses it after it has changed the setting, and cancels it. */
async function cancelChanged({ isFixed }: { isFixed: boolean }): Promise<Run> {
  const load = pauseJobs(shop, 'load')
  const { runId } = await restore()
  await load.begun
  assert.match(`${await recorded()}`, new RegExp(`"max_allowed_packet":${usualSetting}`), 'stored before the change')
  shop.setting.value = 1024 ** 3
  shop.setting.isFixed = isFixed
  await shop.testBerth.ok('backup.cancel', { runId })
  const run = await shop.waitForEnd(runId)
  assert.equal(run.status, 'error')
  return run
}

test('a restore into a new service sets them back before it ends', async () => {
  const run = await shop.waitForEnd((await restore()).runId)
  assert.deepEqual([run.status, shop.setting.value, await recorded()], ['done', usualSetting, null])
})

test('a restore that is cancelled sets them back', async () => {
  await cancelChanged({ isFixed: false })
  assert.deepEqual([shop.setting.value, await recorded()], [usualSetting, null])
})

test('Berth sets them back after its next start if the server refused this', async () => {
  await cancelChanged({ isFixed: true })
  await shop.testBerth.restart(async () => {
    shop.setting.isFixed = false
  })
  await until('the record to be cleared', async () => ((await recorded()) === null ? true : null))
  assert.equal(shop.setting.value, usualSetting)
})

test('a server that was replaced keeps its own settings', async () => {
  await cancelChanged({ isFixed: true })
  shop.testBerth.engine.replaceTask('new-service')
  await shop.testBerth.restart()
  await until('the record to be cleared', async () => ((await recorded()) === null ? true : null))
  assert.equal(shop.setting.value, 1024 ** 3, 'nothing was set')
})

test('a restore into an existing service leaves them as they are', async () => {
  shop.setting.isFixed = true
  const { runId } = await shop.restore(source)
  assert.equal((await shop.waitForEnd(runId)).status, 'done')
  assert.equal(await recorded(), null)
})
