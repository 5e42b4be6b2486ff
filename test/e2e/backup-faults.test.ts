/**
 * What may happen to a backup on its way: the tool dies, the storage goes away, somebody calls it off, Berth is ended.
 * Each time the run says why, nothing that looks good is left in the bucket, and the next run is good. And what a dump
 * for a recipient and the rules of retention do.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import type { Database } from '../operations/fleet.ts'
import type { RunAnswer } from './backup-suite.ts'
import { clients } from './clients.ts'
import { type Fields, type Fleet, fleetOn } from './fleet.ts'
import { type Storage, startStorage } from './storage.ts'
import { docker, onSwarm, sql, type Swarm } from './swarm.ts'

const kind = kindNamed('postgres')
const wait = { prefer: 'wait=120' }

let berth: Swarm
let storage: Storage
let fleet: Fleet
let database: Database
let url: string
let destinationId: string

before(async () => {
  ;[berth, storage] = [await onSwarm(), await startStorage()]
  storage.makeBucket('backups')
  fleet = fleetOn(berth, kind, clients[kind.name]!)
  database = await fleet.deployed()
  url = await fleet.urlOf(database)
  await sql(url, `create table big as select n, (select string_agg(md5(random()::text || n || m), '')
    from generate_series(1, 32) m) as text from generate_series(1, 60000) n`)
  const { body } = await berth.call<{ destinationId: string }>('destination.create',
    { name: 'storage', ...storage.settings('backups') })
  destinationId = body.destinationId
})
after(async () => {
  await fleet.clear(database).catch(() => undefined)
  await berth[Symbol.asyncDispose]()
  await storage[Symbol.asyncDispose]()
})

async function create(prefix: string, more: Fields = {}): Promise<string> {
  const { status, body } = await berth.call<{ backupId: string; message: string }>('backup.create', {
    schedule: '0 3 * * *', prefix, destinationId, database: 'shop', databaseType: kind.name,
    postgresId: database.postgresId, ...more,
  })
  assert.equal(status, 200, body.message)
  return body.backupId
}

const run = (backupId: string, headers: Record<string, string> = wait) =>
  berth.call<RunAnswer>('backup.manualBackupPostgres', { backupId }, undefined, headers)

const runsOf = async (backupId: string) => (await berth.call<RunAnswer[]>('backup.runs', { backupId })).body

/** Objects that lie in the bucket, whole or not; the storage keeps parts of uploads elsewhere in it. */
const filesUnder = (prefix: string) =>
  readdirSync(storage.filesOf('backups'), { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile() && `${it.parentPath}/`.includes(`/${prefix}/`)).map(({ name }) => name)

const jobsOf = (what: string) => docker('ps', '--quiet', '--filter', `name=berth-${what}`)

async function isGood(backupId: string, prefix: string) {
  const { status, body } = await run(backupId)
  assert.deepEqual([status, body.message, body.status], [200, undefined, 'done'])
  assert.ok(filesUnder(prefix).includes(body.key.split('/').at(-1)!))
  return body
}

/** Begins a run, does something to it while its tool is at work, and gives how it ended. */
async function disturbed(backupId: string, disturb: (runId: string) => Promise<unknown>): Promise<RunAnswer> {
  const { body } = await run(backupId, {})
  await until('the tool', async () => (await jobsOf(`dump-${body.runId}`)).length > 0)
  await disturb(body.runId)
  return until('the end', async () => (await runsOf(backupId)).find(({ runId, status }) =>
    runId === body.runId && status !== 'running') ?? null, 120_000)
}

describe('faults of backups', { concurrency: 1 }, () => {
  test('the tool is killed: the run says so, and leaves nothing', async () => {
    const backupId = await create('killed')
    const ended = await disturbed(backupId, async (runId) => docker('kill', (await jobsOf(`dump-${runId}`))[0]!))
    assert.deepEqual([ended.status, ended.key], ['error', null])
    assert.match(ended.reason!, /exit code 137/)
    assert.deepEqual(filesUnder('killed'), [])
    await isGood(backupId, 'killed')
  })

  test('somebody calls it off: it ends, and leaves nothing', async () => {
    const backupId = await create('called-off')
    const ended = await disturbed(backupId, (runId) => berth.call('backup.cancel', { runId }))
    assert.deepEqual([ended.status, ended.reason, ended.key], ['error', 'It was ended by backup.cancel', null])
    assert.deepEqual(filesUnder('called-off'), [])
    await until('its container to go', async () => (await jobsOf('dump')).length === 0)
    await isGood(backupId, 'called-off')
  })

  test('the storage is gone for a moment: the run goes on where it was', async () => {
    const backupId = await create('away')
    const ended = await disturbed(backupId, async () => {
      await storage.stop()
      await storage.start()
    })
    assert.deepEqual([ended.status, ended.reason], ['done', null])
    await isGood(backupId, 'away')
  })

  test('a database that is not there is no good backup', async () => {
    const backupId = await create('nowhere', { database: 'nowhere' })
    const { status, body } = await run(backupId)
    assert.equal(status, 422)
    assert.match(body.message!, /nowhere/)
    assert.deepEqual(filesUnder('nowhere'), [])
  })

  test('only so many stay, and only what this backup made goes', async () => {
    const [kept, other] = [await create('kept', { keepLatest: 2 }), await create('kept')]
    const foreign = await isGood(other, 'kept')
    const own = [await isGood(kept, 'kept'), await isGood(kept, 'kept'), await isGood(kept, 'kept')]
    const left = await until('the first to go', async () => {
      const names = filesUnder('kept')
      return names.length === 6 && names
    })
    const names = [foreign, ...own.slice(1)].map(({ key }) => key.split('/').at(-1)!)
    assert.deepEqual(left.toSorted(), names.flatMap((name) => [name, `${name}.json`]).toSorted())
    await until('the note of it', async () => (await runsOf(kept))[0]!.key === null)
    assert.deepEqual((await runsOf(kept)).map(({ key }) => key === null), [true, false, false])
  })

  test('what is encrypted opens with its identity alone', async () => {
    const identity = await generateIdentity()
    const backupId = await create('sealed', { recipient: await identityToRecipient(identity) })
    const { runId, key } = await isGood(backupId, 'sealed')
    assert.match(key, /\.dump\.zst\.age$/)
    await sql(url, 'delete from big where n > 10')
    const restore = (more: Fields) => berth.call<RunAnswer>('backup.restore', {
      backupId, runId, postgresId: database.postgresId, confirm: database.appName, ...more,
    }, undefined, wait)
    assert.equal((await restore({})).status, 400)
    const wrong = await restore({ identity: await generateIdentity(), skipSafetyDump: true })
    assert.equal(wrong.status, 422)
    assert.deepEqual(await sql(url, 'select count(*)::int as it from big'), [{ it: 10 }], 'a wrong one changes nothing')
    const { status, body } = await restore({ identity })
    assert.deepEqual([status, body.message], [200, undefined])
    assert.deepEqual(await sql(url, 'select count(*)::int as it from big'), [{ it: 60_000 }])
  })

  test('a stopped service is started for a restore, and whoever waits for a signal gets one', async () => {
    const asked: string[] = []
    const watch = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end()
    }).listen(0, '127.0.0.1')
    await once(watch, 'listening')
    const signalUrl = `http://127.0.0.1:${(watch.address() as AddressInfo).port}/alive`
    const backupId = await create('signal', { signalUrl })
    const { runId } = await isGood(backupId, 'signal')
    await until('the signal', async () => asked.length === 1)
    watch.close()
    await fleet.done('stop', database)
    assert.equal((await run(backupId)).status, 412, 'a stopped one cannot be dumped')
    const { status, body } = await berth.call<RunAnswer>('backup.restore',
      { backupId, runId, postgresId: database.postgresId, confirm: database.appName }, undefined, wait)
    assert.deepEqual([status, body.message, asked], [200, undefined, ['/alive']])
    assert.deepEqual(await sql(url, 'select count(*)::int as it from big'), [{ it: 60_000 }])
  })
})
