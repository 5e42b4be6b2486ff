/** The clock of the machine is wrong for some seconds. Berth deletes nothing until a person trusts the clock. */
import assert from 'node:assert/strict'
import { globSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { rowsOf } from '../crash/store.ts'
import { until } from '../engine/until.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'
import { type BerthProcess, berthProcess } from './process.ts'
import { type Storage, startStorage } from './storage.ts'
import { dockerHost } from './swarm.ts'

const daySeconds = 24 * 3600

interface Run {
  runId: string
  status: string
  key: string | null
}

/**
 * Prepares a Berth whose clock the test sets. The monotonic clock does not change, as on a real machine.
 */
async function prepare(t: TestContext) {
  const [folder, storage] = [temporaryFolder(t), await startStorage()]
  t.after(() => storage[Symbol.asyncDispose]())
  const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')
  assert.ok(library !== undefined, 'the package faketime is missing: ./berth test e2e installs it')
  const clockPath = join(temporaryFolder(t), 'clock')
  const setAhead = (seconds: number) => writeFileSync(clockPath, `+${seconds}s\n`)
  setAhead(0)
  const berth = await berthProcess(folder, {
    DOCKER_HOST: dockerHost,
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clockPath,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  })
  t.after(() => berth.kill())
  await berth.start()
  await berth.signIn()
  return { berth, storage, folder, setAhead }
}

async function ok<T>(berth: BerthProcess, name: string, input: Record<string, unknown> = {}): Promise<T> {
  const { status, body } = await berth.call<T>(name, input, { prefer: 'wait=60' })
  assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
  return body
}

const backUp = (berth: BerthProcess) => ok<Run>(berth, 'state.backup')
const isTrusted = async (berth: BerthProcess) => (await ok<{ trusted: boolean }>(berth, 'clock.status')).trusted

/** The number of the storage's objects whose path has the key of the run: the dump and its manifest. */
const objectsOf = (storage: Storage, { key }: Run) =>
  readdirSync(storage.filesOf('backups'), { recursive: true, encoding: 'utf8' }).filter((path) => path.includes(key!))
    .length

/** Makes backups that are kept for 30 days. The first becomes a safety dump. */
async function addDumps(berth: BerthProcess, storage: Storage): Promise<Run[]> {
  storage.makeBucket('backups')
  const fields = { name: 'storage', ...storage.settings('backups') }
  const { destinationId } = await ok<{ destinationId: string }>(berth, 'destination.create', fields)
  await ok(berth, 'state.schedule', { schedule: restingSchedule, destinationId, prefix: 'kept', keepDays: 30 })
  return [await backUp(berth), await backUp(berth), await backUp(berth)]
}

/** Restarts Berth, with the first dump as a safety dump. All dumps expire `inSeconds` from now. */
async function restartWithExpiry(berth: BerthProcess, folder: string, dumps: Run[], inSeconds: number) {
  assert.equal(await berth.stop(), 0)
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
  {
    using store = new DatabaseSync(join(folder, 'berth.db'))
    const finish = store.prepare('update backupRun set finishedAt = ? where id = ?')
    for (const { runId } of dumps) finish.run(at(inSeconds - 30 * daySeconds), runId)
    store
      .prepare("update backupRun set trigger = 'safety', backupId = null, expiresAt = ? where id = ?")
      .run(at(inSeconds), dumps[0]!.runId)
  }
  await berth.start()
}

/** The ids of the records that expire, apart from dumps. */
const recordsIn = (folder: string) =>
  rowsOf<{ id: string }>(folder, "select id from token union all select 'entry ' || seq from audit").map(({ id }) => id)

/** Waits until a loop has ended a turn since `performance.now()` was `sinceMs`. */
const waitForTurn = (berth: BerthProcess, token: string, loop: string, sinceMs: number) =>
  until(`a turn of the loop ${loop}`, async () => {
    const response = await fetch(`${berth.base}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    const ages = new RegExp(`^berth_loop_last_turn_age_seconds\\{loop="${loop}"\\} (.+)$`, 'm')
    const [, age] = ages.exec(await response.text()) ?? []
    return Number(age) * 1000 < performance.now() - sinceMs
  })

test('nothing is deleted while the clock is ahead, also by a restart, until a person trusts it', async (t) => {
  const { berth, storage, folder, setAhead } = await prepare(t)
  const dumps = await addDumps(berth, storage)
  await restartWithExpiry(berth, folder, dumps, 7 * daySeconds)
  const records = recordsIn(folder)
  for (const isRestarted of [false, true]) {
    const jumpedMs = performance.now()
    setAhead(400 * daySeconds)
    if (isRestarted) {
      assert.equal(await berth.stop(), 0)
      await berth.start()
    }
    const token = await berth.signInAgain()
    assert.equal(await isTrusted(berth), false)
    const loops = isRestarted ? ['backups', 'housekeeping'] : ['backups']
    for (const loop of loops) await waitForTurn(berth, token, loop, jumpedMs)
    setAhead(0)
    assert.equal(await isTrusted(berth), true, 'the clock agrees again')
    assert.equal((await backUp(berth)).status, 'done')
    checkKept()
  }

  await restartWithExpiry(berth, folder, dumps, 420)
  // More than Berth tolerates, but less than the storage does.
  setAhead(600)
  assert.equal(await isTrusted(berth), false)
  assert.equal((await backUp(berth)).status, 'done')
  checkKept()
  await ok(berth, 'clock.trust', { time: new Date(Date.now() + 600_000).toISOString() })
  assert.equal(await isTrusted(berth), true)
  assert.equal((await backUp(berth)).status, 'done')
  await until('the old dumps to be deleted', async () => dumps.every((run) => objectsOf(storage, run) === 0))
  assert.equal(await berth.stop(), 0)

  function checkKept() {
    assert.deepEqual(
      dumps.map((run) => objectsOf(storage, run)),
      [2, 2, 2],
    )
    const kept = new Set(recordsIn(folder))
    assert.deepEqual(
      records.filter((id) => !kept.has(id)),
      [],
    )
  }
})
