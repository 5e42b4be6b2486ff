/**
 * Berth is killed (-9) while a restore replaces a database, of every kind. Until then the restore holds the database
 * alone; afterwards the load is never begun again: the restore ends in error, nothing loads any more, and the safety
 * dump brings back all that the database held before. Then a dump whose service is restarted meanwhile.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { kindNamed } from '../../src/kinds/index.ts'
import { rowsOf } from '../crash/store.ts'
import { until } from '../engine/until.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import type { RunAnswer } from './backup-suite.ts'
import { clients } from './clients.ts'
import { type Fields, databaseClientsOn } from './database-clients.ts'
import { type BerthProcess, berthProcess } from './process.ts'
import { type Storage, startStorage } from './storage.ts'
import { docker, removeAll, type Swarm } from './swarm.ts'

let storage: Storage
before(async () => {
  storage = await startStorage()
  storage.makeBucket('backups')
})
after(() => storage[Symbol.asyncDispose]())

/** As much as takes a moment to load. */
const texts = Array.from({ length: 300 }, () => randomBytes(30_000).toString('hex'))

describe('a load holds its database alone, and is never begun again', { concurrency: 1 }, () => {
  for (const name of ['mysql', 'mongo', 'postgres', 'mariadb']) {
    test(name, async (t) => {
      const folder = temporaryFolder(t)
      const berth = await berthProcess(folder)
      t.after(() => berth.kill())
      await berth.start()
      await berth.signIn()
      await killedWhileLoading(name, berth, folder, (appName) => t.after(() => clean(appName)))
    })
  }
})

async function clean(appName: string): Promise<void> {
  const [id] = await docker('service', 'inspect', appName, '--format', '{{index .Spec.Labels "berth.installation"}}')
  await removeAll(id!)
}

async function killedWhileLoading(
  name: string,
  berth: BerthProcess,
  folder: string,
  made: (appName: string) => void,
): Promise<void> {
  const kind = kindNamed(name)
  const {
    body: { projectId },
  } = await berth.call<{ projectId: string }>('project.create', { name: 'crash' })
  const call: Swarm['call'] = async (to, input, _token, headers) => ({
    ...(await berth.call(to, input, headers)),
    headers: {},
  })
  const databaseClients = databaseClientsOn({ projectId, call }, kind, clients[name]!)
  const database = await databaseClients.deployed()
  made(database.appName)
  const ok = async (to: string, input: Fields, headers: Record<string, string> = { prefer: 'wait=120' }) => {
    const { status, body } = await berth.call<RunAnswer & { backupId: string }>(to, input, headers)
    assert.deepEqual([status, body.message], [200, undefined], to)
    return body
  }
  await databaseClients.open(database, async (session) => {
    for (const text of texts) await session.write(text)
  })
  const { destinationId } = await ok('destination.create', { name: 'storage', ...storage.settings('backups') })
  const own = { [kind.idField]: database[kind.idField] }
  const backup = async () =>
    (
      await ok('backup.create', {
        schedule: '0 3 * * *',
        prefix: name,
        destinationId,
        database: 'shop',
        databaseType: name,
        ...own,
      })
    ).backupId
  const backupId = await backup()
  const { runId } = await ok(`backup.${kind.manualBackup}`, { backupId })
  await databaseClients.open(database, (session) => session.write('written later'))
  const into = { ...own, confirm: database.appName }
  const ended = (id: string) =>
    until(
      'the end of the run',
      async () => {
        const { body } = await berth.call<RunAnswer[]>('backup.runs', { serviceId: database[kind.idField] })
        return body.find((it) => it.runId === id && it.status !== 'running') ?? null
      },
      120_000,
    )

  const restore = await ok('backup.restore', { ...into, runId }, {})
  await untilAt(folder, restore.runId, 'load')
  await freeze(`berth-load-${restore.runId}`)
  for (const verb of ['deploy', 'reload', 'stop', 'remove']) {
    const { status, body } = await databaseClients.call(verb, database, { appName: database.appName })
    assert.equal(status, 409, verb)
    assert.match(body.message, new RegExp(`run ${restore.runId}.*backup\\.cancel`))
  }
  const waiting = await ok(`backup.${kind.manualBackup}`, { backupId: await backup() }, {})
  await until('a dump to wait', async () => stored(folder, waiting.runId).status === 'waiting')
  await berth.kill()
  assert.deepEqual(stored(folder, restore.runId), { step: 'load', status: 'running' })
  await berth.start()

  const run = await ended(restore.runId)
  const { safetyRunId } = run
  const isAtomic = kind.backup!.isAtomic === true
  assert.deepEqual([run.status, run.fault], ['error', { reason: 'LoadInterrupted', safetyRunId, isAtomic }])
  assert.match(run.reason!, new RegExp(`call backup\\.restore with runId ${safetyRunId}`))
  assert.deepEqual(await docker('ps', '--all', '--quiet', '--filter', `name=berth-load-${restore.runId}`), [])
  await ended(waiting.runId)
  await ok('backup.restore', { ...into, runId: safetyRunId })
  assert.deepEqual(await databaseClients.open(database, (session) => session.read()), [...texts, 'written later'])

  const dump = await ok(`backup.${kind.manualBackup}`, { backupId }, {})
  await untilAt(folder, dump.runId, 'dump')
  await freeze(`berth-dump-${dump.runId}`)
  await databaseClients.done('reload', database, { appName: database.appName })
  const { status, reason, attempt } = await ended(dump.runId)
  assert.deepEqual([status, reason, attempt], ['done', null, 1])
}

const stored = (folder: string, runId: string) => ({
  ...rowsOf<{ step: string; status: string }>(
    folder,
    `select "step", "status" from "backupRun" where "id" = '${runId}'`,
  )[0]!,
})

/** Its job runs. Asks more often than `until`: a load may be over in a second. */
async function untilAt(folder: string, runId: string, step: string): Promise<void> {
  const end = Date.now() + 120_000
  const running = () => docker('ps', '--quiet', '--filter', `name=berth-${step}-${runId}`)
  while (stored(folder, runId).step !== step || (await running()).length === 0) {
    assert.ok(Date.now() < end, `no ${step} was seen`)
    await pause(10)
  }
}

/** The job does nothing from now on, until it is removed. The engine may need several tries to pause a busy one. */
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
