/**
 * Berth is killed with SIGKILL while a restore loads a dump into a new volume. Before the kill, no other operation can use
 * the database. After the restart, Berth goes on with the restore: the job is removed, and the dump is loaded once more.
 * At the end the service is reloaded during a dump.
 *
 * The ordinary run tests one kind whose restore replaces the volume. backup-crash.test.ts kills Berth during the load of
 * PostgreSQL, and restore-in-place.test.ts ends the other processes of a restore.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { kindNamed } from '../../src/kinds/index.ts'
import { rowsOf } from '../crash/store.ts'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'
import type { RunAnswer } from './backup-suite.ts'
import { clients } from './clients.ts'
import { type Fields, databaseClientsOn } from './database-clients.ts'
import { type BerthProcess, berthProcess, inProject } from './process.ts'
import { representative } from './representative.ts'
import { type Storage, startStorage } from './storage.ts'
import { containersNamed, docker, removeAll } from './swarm.ts'

let storage: Storage
before(async () => {
  storage = await startStorage()
  storage.makeBucket('backups')
})
after(() => storage[Symbol.asyncDispose]())

/** 18 MB, so that loading takes a moment. */
const texts = Array.from({ length: 300 }, () => randomBytes(30_000).toString('hex'))

describe('a restore that is killed while loading', { concurrency: 1 }, () => {
  for (const name of representative(['mongo', 'mariadb', 'mysql'])) {
    test(name, async (t) => {
      const folder = temporaryFolder(t)
      const berth = await berthProcess(folder)
      t.after(() => berth.kill())
      await berth.start()
      await berth.signIn()
      await killWhileLoading(name, berth, folder, (appName) => t.after(() => cleanUp(appName)))
    })
  }
})

async function cleanUp(appName: string): Promise<void> {
  const [id] = await docker('service', 'inspect', appName, '--format', '{{index .Spec.Labels "berth.installation"}}')
  await removeAll(id!)
}

async function killWhileLoading(
  name: string,
  berth: BerthProcess,
  folder: string,
  onDeployed: (appName: string) => void,
): Promise<void> {
  const kind = kindNamed(name)
  const {
    body: { projectId },
  } = await berth.call<{ projectId: string }>('project.create', { name: 'crash' })
  const databaseClients = databaseClientsOn(inProject(berth, projectId), kind, clients[name]!)
  const database = await databaseClients.deployed()
  onDeployed(database.appName)
  const ok = async (operation: string, input: Fields, headers: Record<string, string> = { prefer: 'wait=120' }) => {
    const { status, body } = await berth.call<RunAnswer & { backupId: string }>(operation, input, headers)
    assert.deepEqual([status, body.message], [200, undefined], operation)
    return body
  }
  await databaseClients.open(database, async (session) => {
    for (const text of texts) await session.write(text)
  })
  const { destinationId } = await ok('destination.create', { name: 'storage', ...storage.settings('backups') })
  const serviceId = { [kind.idField]: database[kind.idField] }
  const createBackup = async () =>
    (
      await ok('backup.create', {
        schedule: restingSchedule,
        prefix: name,
        destinationId,
        database: 'shop',
        databaseType: name,
        ...serviceId,
      })
    ).backupId
  const backupId = await createBackup()
  const { runId } = await ok(`backup.${kind.manualBackup}`, { backupId })
  await databaseClients.open(database, (session) => session.write('written later'))
  const target = { ...serviceId, confirm: database.appName }
  const ended = (id: string) =>
    until(
      'the end of the run',
      async () => {
        const { body } = await berth.call<RunAnswer[]>('backup.runs', { serviceId: database[kind.idField] })
        return body.find((it) => it.runId === id && it.status !== 'running') ?? null
      },
      120_000,
    )

  const restore = await ok('backup.restore', { ...target, runId }, {})
  await untilStep(folder, restore.runId, 'load', ({ deploymentId }) => deploymentId)
  const { deploymentId } = stored(folder, restore.runId)
  await freeze(`berth-load-${deploymentId}`)
  for (const verb of ['deploy', 'reload', 'stop', 'remove']) {
    const { status, body } = await databaseClients.call(verb, database, { appName: database.appName })
    assert.equal(status, 409, verb)
    assert.match(body.message, new RegExp(`run ${restore.runId}.*backup\\.cancel`))
  }
  const waiting = await ok(`backup.${kind.manualBackup}`, { backupId: await createBackup() }, {})
  await until('a dump to wait', async () => stored(folder, waiting.runId).status === 'waiting')
  await berth.kill()
  await compareData('the run after the kill', () =>
    assert.deepEqual(stored(folder, restore.runId), { step: 'load', status: 'running', deploymentId }),
  )
  await berth.start()

  const run = await ended(restore.runId)
  await compareData('the run after the restart', () =>
    assert.deepEqual([run.status, run.reason, run.data], ['done', null, 'replaced']),
  )
  await compareData('the content after the restart', async () =>
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), texts),
  )
  assert.deepEqual(await docker('ps', '--all', '--quiet', '--filter', `name=berth-load-${deploymentId}`), [])
  await ended(waiting.runId)
  await ok('backup.restore', { ...target, runId: run.safetyRunId })
  await compareData('the content that the safety dump restored', async () =>
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), [...texts, 'written later']),
  )

  const dump = await ok(`backup.${kind.manualBackup}`, { backupId }, {})
  await untilStep(folder, dump.runId, 'dump', () => dump.runId)
  await freeze(`berth-dump-${dump.runId}`)
  await databaseClients.done('reload', database, { appName: database.appName })
  const { status, reason, attempt } = await ended(dump.runId)
  assert.deepEqual([status, reason, attempt], ['done', null, 1])
}

interface StoredRun {
  step: string
  status: string
  deploymentId: string | null
}

const stored = (folder: string, runId: string) => ({
  ...rowsOf<StoredRun>(folder, `select "step", "status", "deploymentId" from "backupRun" where "id" = '${runId}'`)[0]!,
})

/**
 * Waits until the run is at this step and its job runs. Polls more often than `until`, because a load can end within a
 * second.
 *
 * @param ownerOf the id in the name of the job
 */
async function untilStep(
  folder: string,
  runId: string,
  step: string,
  ownerOf: (run: StoredRun) => string | null,
): Promise<void> {
  const end = Date.now() + 120_000
  const running = (owner: string | null) => containersNamed(`berth-${step}-${owner}`)
  for (;;) {
    const run = stored(folder, runId)
    if (run.step === step && (await running(ownerOf(run))).length > 0) return
    assert.ok(Date.now() < end, `The run did not reach the step ${step}`)
    await pause(10)
  }
}

/** Pauses a job's container. The engine can fail to pause a busy container, so this is retried. */
async function freeze(name: string): Promise<void> {
  await until(
    `${name} to be paused`,
    () =>
      docker('pause', name).then(
        () => true,
        () => false,
      ),
    10_000,
  )
}
