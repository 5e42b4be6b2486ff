/** Two Berths with copies of one store on one swarm: only one is in charge, and the other changes nothing. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { unconfirmedSince } from '../../src/store/unconfirmed.ts'
import { memoryEngine, type MemoryEngine } from '../engine/memory/engine.ts'
import { until } from '../engine/until.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { type Berth, startBerth } from '../fixtures/harness.ts'

const cleanup = new AsyncDisposableStack()
const folder = join(folderUnder(cleanup), 'first')
const copy = join(folder, '../copy')
let engine: MemoryEngine
let first: Berth
let database: { postgresId: string; appName: string }

const start = (dataFolder: string, isTakingOver = false) =>
  startBerth({ folder: dataFolder, isTakingOver, connect: (id) => (engine ??= memoryEngine(id)) })

before(async () => {
  mkdirSync(folder)
  first = await start(folder)
  const { projectId } = (await first.call<{ projectId: string }>('project.create', { name: 'shop' })).body
  const credentials = { databaseName: 'shop', databaseUser: 'shop', databasePassword: 'a-password' }
  const input = { name: 'shop', appName: 'shop', projectId, ...credentials }
  database = (await first.call<typeof database>('postgres.create', input)).body
  const { postgresId } = database
  assert.equal((await first.call('postgres.deploy', { postgresId }, undefined, { prefer: 'wait=30' })).status, 200)
})
after(() => cleanup.disposeAsync())

const create = (berth: Berth, name: string) => berth.call<{ reason?: string }>('project.create', { name })

/** Makes a copy of the data folder while nothing is written. */
function copyFolder() {
  rmSync(copy, { recursive: true, force: true })
  cpSync(folder, copy, { recursive: true })
}

const changes = () => {
  const { createService, updateService, removeService, removeVolume, run, runJob, prepare, writeCharge } = engine.calls
  return { createService, updateService, removeService, removeVolume, run, runJob, prepare, writeCharge }
}

/** Marks the state of the copy as restored. */
function markCopyUnconfirmed() {
  const store = new DatabaseSync(join(copy, 'berth.db'))
  store.exec("insert into meta (key, value) values ('unconfirmedSince', '2030-01-01T00:00:00.000Z')")
  store.close()
}

test('a copy changes nothing and does not confirm itself, and the first Berth goes on', async () => {
  copyFolder()
  markCopyUnconfirmed()
  const second = await start(copy)
  try {
    const before = changes()
    const { status, body } = await create(second, 'from the copy')
    assert.deepEqual([status, body.reason], [503, 'NotInCharge'])
    // A database of the copy is down, as it sees it. It does not repair it.
    for (const loop of ['services', 'watch', 'nodes', 'volumes', 'proxy', 'ports', 'confirmation'] as const)
      second.app.wake(loop)
    const enough = engine.calls.nodes + 4
    await until('turns of the loops', async () => {
      second.app.wake('nodes')
      return engine.calls.nodes >= enough || null
    })
    assert.deepEqual(changes(), before)
    assert.equal((await create(first, 'from the first')).status, 200)
    assert.equal((await second.call('project.all')).status, 200)
    assert.match((await second.server.inject('/readyz')).body, /berth up --take-over/)
    assert.notEqual(await unconfirmedSince(second.app.db), null)
  } finally {
    await second.close()
  }
})

test('a Berth that is restarted stays in charge', async () => {
  await first.close()
  first = await start(folder)
  assert.equal((await create(first, 'after a restart')).status, 200)
})

test('an older copy that was put back in place is not in charge', async () => {
  cpSync(join(folder, 'charge.json'), `${folder}.older`)
  for (const round of [1, 2]) {
    await first.close()
    first = await start(folder)
    assert.equal((await create(first, `restart ${round}`)).status, 200)
  }
  await first.close()
  cpSync(join(folder, 'charge.json'), `${folder}.newest`)
  cpSync(`${folder}.older`, join(folder, 'charge.json'))
  first = await start(folder)
  assert.equal((await create(first, 'with an older folder')).body.reason, 'NotInCharge')
  await first.close()
  cpSync(`${folder}.newest`, join(folder, 'charge.json'))
  first = await start(folder)
})

test('a copy takes over on purpose, the first Berth notices, and a restart of either changes nothing about it', async () => {
  copyFolder()
  let second = await start(copy, true)
  try {
    assert.equal((await create(second, 'after taking over')).status, 200)
    await until('the first Berth notices', async () => {
      first.app.wake('charge')
      return (await first.server.inject('/readyz')).statusCode === 503 || null
    })
    assert.equal((await create(first, 'too late')).body.reason, 'NotInCharge')
    const calls = changes()
    await engine.removeService(database.appName)
    await until('the repair by the second Berth', async () => engine.specOf(database.appName))
    assert.equal(changes().createService, calls.createService + 1)
    await Promise.all([first.close(), second.close()])
    ;[first, second] = [await start(folder), await start(copy)]
    assert.deepEqual([(await create(first, 'x')).status, (await create(second, 'y')).status], [503, 200])
  } finally {
    await Promise.all([first.close(), second.close()])
  }
})

test('changes wait while the swarm does not say who is in charge', async () => {
  engine.setDown(true)
  const berth = await start(copy)
  try {
    // A call is accepted while the engine is down, as always.
    assert.equal((await create(berth, 'while the engine is down')).status, 200)
    engine.setDown(false)
    assert.equal(await until('in charge', async () => (await berth.app.gate.check()) === null || null), true)
  } finally {
    engine.setDown(false)
    await berth.close()
  }
})
