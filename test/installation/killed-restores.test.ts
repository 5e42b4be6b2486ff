/** A restore that replaces a damaged store, killed after each step: neither the old store nor its log is lost. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { PlacementStep } from '../../src/installation/state/replace.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { checkAll, configOf, fill, openFilled } from './filled-store.ts'
import { killedAt } from './killed-restore.ts'
import { run } from './run-command.ts'

const env = { BERTH_MASTER_KEY: 'ab'.repeat(32) }
const parent = temporaryFolder({ after })
const [data, path] = [join(parent, 'data'), join(parent, 'state')]
mkdirSync(data)
await fill(configOf(data, env))
assert.equal((await run(data, ['state', 'backup', path], env)).status, 0)

const steps: PlacementStep[] = ['written', 'ready', 'kept', 'decided', 'cleared', 'placed']

for (const step of steps) {
  test(`a damaged store keeps its log or is replaced if a restore is killed after the step '${step}'`, async (t) => {
    const folder = temporaryFolder(t)
    cpSync(data, folder, { recursive: true })
    const [db, log] = [Buffer.alloc(10_000, 'x'), Buffer.alloc(5000, 'y')]
    writeFileSync(join(folder, 'berth.db'), db)
    writeFileSync(join(folder, 'berth.db-wal'), log)
    await killedAt(step, folder, env, path)
    const isNew = steps.indexOf(step) >= steps.indexOf('decided')
    if (isNew && step !== 'placed') {
      const { status, err } = await run(folder, ['admin', 'reset-password', 'a@example.org'], env)
      assert.deepEqual([status, /A restore of the state was interrupted/.test(err)], [1, true])
    }
    if (isNew) await checkAll(configOf(folder, env), true)
    else await assert.rejects(openFilled(configOf(folder, env)), /is damaged/)
    const kept = readdirSync(folder).find((name) => /replaced-\d+T\d+Z$/.test(name))
    assert.equal(kept !== undefined, isNew || step === 'kept')
    const places = [...(isNew ? [] : ['berth.db']), ...(kept === undefined ? [] : [kept])]
    await compareData('the damaged store and its log', () =>
      assert.ok(
        places.every((name) =>
          [db, log].every((it, i) => it.equals(readFileSync(join(folder, `${name}${['', '-wal'][i]}`)))),
        ),
      ),
    )
  })
}
