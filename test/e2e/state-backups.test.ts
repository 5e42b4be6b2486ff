/** Berth's own state goes to a real storage, and comes back from there on another folder. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../fixtures/folder.ts'
import { type Berth, startBerth } from '../fixtures/harness.ts'
import { run } from '../installation/run-words.ts'
import { until } from '../engine/until.ts'
import { type Storage, startStorage } from './storage.ts'

interface Run {
  runId: string
  status: string
  reason: string | null
  key: string
  sizeBytes: number
  rawBytes: number
}

const wait = { prefer: 'wait=60' }

async function ok<T>({ call }: Berth, name: string, input: Record<string, unknown> = {}) {
  const { status, body } = await call<T>(name, input, undefined, wait)
  assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
  return body
}

async function scheduled(berth: Berth, storage: Storage, more: Record<string, unknown> = {}) {
  const { destinationId } = await ok<{ destinationId: string }>(berth, 'destination.create', {
    name: 'storage',
    ...storage.settings('backups'),
  })
  return ok(berth, 'state.schedule', { schedule: '0 3 * * *', destinationId, prefix: 'berths/one', ...more })
}

/** Whole objects, by their keys. */
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

/** As with any S3 tool: the object becomes a file, which is restored with the key. */
async function broughtBack(t: TestContext, berth: Berth, storage: Storage, key: string): Promise<string> {
  const folder = temporaryFolder(t)
  const path = join(temporaryFolder(t), 'downloaded')
  writeFileSync(path, readFileSync(join(storage.filesOf('backups'), key)))
  writeFileSync(join(folder, 'master.key'), readFileSync(join(berth.folder, 'master.key')))
  const said = await run(folder, ['state', 'restore', path])
  assert.deepEqual([said.status, said.err], [0, ''])
  return folder
}

test('a backup to the storage is good, lies beside its manifest, and is restored elsewhere', async (t) => {
  await using storage = await withStorage()
  await using berth = await startBerth()
  await scheduled(berth, storage)
  const { projectId } = await ok<{ projectId: string }>(berth, 'project.create', { name: 'of then' })
  const made = await ok<Run>(berth, 'state.backup')
  assert.deepEqual([made.status, made.reason], ['done', null])
  assert.match(made.key, /^berths\/one\/berth\/state\/\d{8}T\d{6}Z-.+\.berth$/)
  assert.deepEqual(objectsIn(storage), [made.key, `${made.key}.json`])
  const manifest = JSON.parse(readFileSync(join(storage.filesOf('backups'), `${made.key}.json`), 'utf8')) as Run
  assert.deepEqual([manifest.runId, manifest.sizeBytes], [made.runId, made.sizeBytes])
  await ok(berth, 'project.update', { projectId, name: 'of later' })

  const folder = await broughtBack(t, berth, storage, made.key)
  await using other = await startBerth({ folder })
  const [project] = await ok<{ name: string }[]>(other, 'project.all')
  assert.equal(project!.name, 'of then')
  const [known, ...more] = await ok<Run[]>(other, 'state.runs')
  assert.deepEqual([known!.runId, known!.status, known!.key, more], [made.runId, 'error', null, []])
  const again = await ok<Run>(other, 'state.backup')
  assert.equal(again.status, 'done')
  assert.deepEqual(
    objectsIn(storage),
    [made.key, `${made.key}.json`, again.key, `${again.key}.json`].sort(),
    'a Berth that is restored takes nothing away, its own backup least of all',
  )
})

test('at its times one is made, and only so many good ones stay', async () => {
  await using storage = await withStorage()
  let passedMs = 0
  const now = () => new Date(Date.now() + passedMs)
  await using berth = await startBerth({ now })
  await scheduled(berth, storage, { keepLatest: 2, schedule: '0 * * * *' })
  for (let count = 1; count <= 4; count++) {
    passedMs += 3600_000
    berth.app.wake('backups')
    await until(`run ${count}`, async () => {
      const runs = await ok<Run[]>(berth, 'state.runs')
      return runs.length === count && runs.every(({ status }) => status === 'done')
    })
  }
  await until('the older ones to go', async () => objectsIn(storage).length === 4)
  const kept = (await ok<Run[]>(berth, 'state.runs')).map(({ key }) => key)
  assert.deepEqual(kept.slice(0, 2), [null, null])
  assert.deepEqual(
    objectsIn(storage),
    kept
      .slice(2)
      .flatMap((key) => [key, `${key}.json`])
      .sort(),
  )
  assert.match(await berth.app.metrics(), /berth_backup_last_good_age_seconds\{.*kind="state".*\} \d/)
})

test('one that could not be sent says why, and leaves nothing', async () => {
  await using storage = await withStorage()
  await using berth = await startBerth({ storage: { attempts: 1 } })
  await scheduled(berth, storage)
  const good = await ok<Run>(berth, 'state.backup')
  await storage.stop()
  const { status, body } = await berth.call<{ message: string }>('state.backup', {}, undefined, wait)
  assert.equal(status, 422, JSON.stringify(body))
  await storage.start()
  const [, failed] = await ok<Run[]>(berth, 'state.runs')
  assert.deepEqual([failed!.status, failed!.sizeBytes], ['error', null])
  assert.deepEqual(objectsIn(storage), [good.key, `${good.key}.json`])
})

test('a run goes on from the step that a Berth before had reached, and nothing is left of what it sent', async () => {
  await using storage = await withStorage()
  let passedMs = 0
  await using berth = await startBerth({ now: () => new Date(Date.now() + passedMs) })
  await scheduled(berth, storage)
  const { runId: id, key } = await ok<Run>(berth, 'state.backup')
  for (const step of ['list', 'check', 'dump'] as const) {
    // Its time is in the key.
    passedMs += 60_000
    await berth.app.transact((tx) =>
      tx.updateTable('backupRun').set({ status: 'running', step, finishedAt: null }).where('id', '=', id).execute(),
    )
    berth.app.wake('backups')
    const [run] = await until(`the step ${step}`, async () => {
      const found = await ok<Run[]>(berth, 'state.runs')
      return found[0]!.status === 'done' && found
    })
    assert.equal(run!.key === key, step !== 'dump')
    assert.deepEqual(objectsIn(storage), [run!.key, `${run!.key}.json`])
  }
})

test('an object that is not what was sent is not taken for good', async () => {
  await using storage = await withStorage()
  await using berth = await startBerth()
  await scheduled(berth, storage)
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
  const [run] = await until('it to fail', async () => {
    const found = await ok<Run[]>(berth, 'state.runs')
    return found[0]!.status === 'error' && found
  })
  assert.match(run!.reason!, /is damaged or cut off/)
  assert.deepEqual(objectsIn(storage), [])
})
