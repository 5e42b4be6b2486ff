/** After `./berth state restore` the ids of events begin anew, and no earlier id is valid. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventsAfter, newestEvent } from '../../src/events/queries.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { configOf, fill, openFilled } from '../installation/filled-store.ts'
import { run } from '../installation/run-command.ts'

test('no position from before a restore is valid, also not one after the backup', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(temporaryFolder(t), 'state')
  const env = { BERTH_MASTER_KEY: 'ab'.repeat(32) }
  await fill(configOf(folder, env))
  assert.equal((await run(folder, ['state', 'backup', path], env)).status, 0)
  const before = await openFilled(configOf(folder, env))
  await before.store.transact((tx) => tx.updateTable('project').set({ name: 'after the backup' }).execute())
  const last = await newestEvent(before.store.db)
  await before.store.close()
  assert.ok(last > 0)

  assert.equal((await run(folder, ['state', 'restore', path, '--replace'], env)).status, 0)
  const { store } = await openFilled(configOf(folder, env))
  t.after(() => store.close())
  for (const position of [0, 1, last - 1, last]) {
    assert.deepEqual([position, (await eventsAfter(store.db, position)).isGap], [position, true])
  }
  const restored = await newestEvent(store.db)
  await store.transact((tx) => tx.updateTable('project').set({ name: 'after the restore' }).execute())
  const { events, isGap } = await eventsAfter(store.db, restored)
  assert.equal(isGap, false)
  assert.equal(events[0]!.seq, restored + 1)
  assert.ok(restored > last)
})
