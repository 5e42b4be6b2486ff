/** Backups of Berth's own state on a real storage, and a restore into another folder. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { compareData } from '../fixtures/compare-data.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { type Berth, startBerth } from '../fixtures/harness.ts'
import { run } from '../installation/run-command.ts'
import { until } from '../engine/until.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'
import { type Storage, startStorage } from './storage.ts'

interface Run {
  runId: string
  status: string
  reason: string | null
  key: string
  sizeBytes: number
  rawBytes: number
}

const waitHeader = { prefer: 'wait=60' }

async function ok<T>({ call }: Berth, name: string, input: Record<string, unknown> = {}) {
  const { status, body } = await call<T>(name, input, undefined, waitHeader)
  assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
  return body
}

async function schedule(berth: Berth, storage: Storage, fields: Record<string, unknown> = {}) {
  const { destinationId } = await ok<{ destinationId: string }>(berth, 'destination.create', {
    name: 'storage',
    ...storage.settings('backups'),
  })
  return ok(berth, 'state.schedule', { schedule: restingSchedule, destinationId, prefix: 'berths/one', ...fields })
}

/** The keys of the stored objects, without unfinished uploads. */
function objectsIn(storage: Storage): string[] {
  const root = storage.filesOf('backups')
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map(({ parentPath, name }) => `${parentPath.slice(root.length + 1)}/${name}`)
    .filter((key) => key.startsWith('berths/'))
    .sort()
}

async function withStorage() {
  const storage = await startStorage()
  storage.makeBucket('backups')
  return storage
}

/** Asserts that the storage has these backups with their manifests, and nothing else. */
const compareObjects = (storage: Storage, keys: string[]) =>
  compareData('the objects of the storage', () =>
    assert.deepEqual(objectsIn(storage), keys.flatMap((key) => [key, `${key}.json`]).sort()),
  )

/** Copies the object to a file, as any S3 tool would, and restores the file with the master key. Returns the folder. */
async function restoreObject(t: TestContext, berth: Berth, storage: Storage, key: string): Promise<string> {
  const folder = temporaryFolder(t)
  const path = join(temporaryFolder(t), 'downloaded')
  writeFileSync(path, readFileSync(join(storage.filesOf('backups'), key)))
  writeFileSync(join(folder, 'master.key'), readFileSync(join(berth.folder, 'master.key')))
  const restored = await run(folder, ['state', 'restore', path])
  assert.deepEqual([restored.status, restored.err], [0, ''])
  return folder
}

test('a backup is stored with its manifest, and can be restored into another folder', async (t) => {
  await using storage = await withStorage()
  await using berth = await startBerth()
  await schedule(berth, storage)
  const { projectId } = await ok<{ projectId: string }>(berth, 'project.create', { name: 'before the backup' })
  const backup = await ok<Run>(berth, 'state.backup')
  assert.deepEqual([backup.status, backup.reason], ['done', null])
  assert.match(backup.key, /^berths\/one\/berth\/state\/\d{8}T\d{6}Z-.+\.berth$/)
  await compareObjects(storage, [backup.key])
  const manifest = JSON.parse(readFileSync(join(storage.filesOf('backups'), `${backup.key}.json`), 'utf8')) as Run
  assert.deepEqual([manifest.runId, manifest.sizeBytes], [backup.runId, backup.sizeBytes])
  await ok(berth, 'project.update', { projectId, name: 'after the backup' })

  const folder = await restoreObject(t, berth, storage, backup.key)
  await using other = await startBerth({ folder })
  const [project] = await ok<{ name: string }[]>(other, 'project.all')
  await compareData('the restored state', () => assert.equal(project!.name, 'before the backup'))
  // The state was copied while its own backup was still running. The restored Berth ends this run with an error.
  const [known, ...others] = await ok<Run[]>(other, 'state.runs')
  assert.deepEqual([known!.runId, known!.status, known!.key, others], [backup.runId, 'error', null, []])
  const again = await ok<Run>(other, 'state.backup')
  assert.equal(again.status, 'done')
  await compareObjects(storage, [backup.key, again.key])
})

test('makes scheduled backups, and keeps only the latest ones', async () => {
  await using storage = await withStorage()
  // A minute after a full hour, so that the time of the schedule does not come during the test by itself.
  let passedMs = 3600_000 + 60_000 - (Date.now() % 3600_000)
  const now = () => new Date(Date.now() + passedMs)
  await using berth = await startBerth({ now })
  await schedule(berth, storage, { keepLatest: 2, schedule: '0 * * * *' })
  for (let count = 1; count <= 4; count++) {
    passedMs += 3600_000
    berth.app.wake('backups')
    await until(`run ${count}`, async () => {
      const runs = await ok<Run[]>(berth, 'state.runs')
      return runs.length === count && runs.every(({ status }) => status === 'done')
    })
  }
  await until('the older objects to be deleted', async () => objectsIn(storage).length === 4)
  const kept = (await ok<Run[]>(berth, 'state.runs')).map(({ key }) => key)
  assert.deepEqual(kept.slice(0, 2), [null, null])
  await compareObjects(storage, kept.slice(2))
  assert.match(await berth.app.metrics(), /berth_backup_last_good_age_seconds\{.*kind="state".*\} \d/)
})

test('a backup fails if the storage does not answer, and stores nothing', async () => {
  await using storage = await withStorage()
  await using berth = await startBerth({ storage: { attempts: 1 } })
  await schedule(berth, storage)
  const good = await ok<Run>(berth, 'state.backup')
  await storage.stop()
  const { status, body } = await berth.call<{ message: string }>('state.backup', {}, undefined, waitHeader)
  assert.equal(status, 422, JSON.stringify(body))
  await storage.start()
  const [, failed] = await ok<Run[]>(berth, 'state.runs')
  assert.deepEqual([failed!.status, failed!.sizeBytes], ['error', null])
  await compareObjects(storage, [good.key])
})

test('an interrupted run continues from its stored step, and leaves no other object behind', async () => {
  await using storage = await withStorage()
  let passedMs = 0
  await using berth = await startBerth({ now: () => new Date(Date.now() + passedMs) })
  await schedule(berth, storage)
  const { runId: id, key } = await ok<Run>(berth, 'state.backup')
  for (const step of ['list', 'check', 'dump'] as const) {
    // The key contains the time, so a new dump gets another key.
    passedMs += 60_000
    await berth.app.transact((tx) =>
      tx.updateTable('backupRun').set({ status: 'running', step, finishedAt: null }).where('id', '=', id).execute(),
    )
    berth.app.wake('backups')
    const [run] = await until(`the run to continue from the step ${step}`, async () => {
      const runs = await ok<Run[]>(berth, 'state.runs')
      return runs[0]!.status === 'done' && runs
    })
    assert.equal(run!.key === key, step !== 'dump')
    await compareObjects(storage, [run!.key])
  }
})

test('a run fails if the stored object differs from the uploaded one', async () => {
  await using storage = await withStorage()
  await using berth = await startBerth()
  await schedule(berth, storage)
  const { runId: id, key } = await ok<Run>(berth, 'state.backup')
  const path = join(storage.filesOf('backups'), key)
  const bytes = readFileSync(path)
  bytes[bytes.length - 10]! ^= 1
  writeFileSync(path, bytes)
  await berth.app.transact((tx) =>
    tx
      .updateTable('backupRun')
      .set({ status: 'running', step: 'check', finishedAt: null })
      .where('id', '=', id)
      .execute(),
  )
  berth.app.wake('backups')
  const [run] = await until('the run to fail', async () => {
    const runs = await ok<Run[]>(berth, 'state.runs')
    return runs[0]!.status === 'error' && runs
  })
  assert.match(run!.reason!, /is damaged or incomplete/)
  await until('the object to be deleted', async () => objectsIn(storage).length === 0)
})
