/** Backups of Redis: their own operations, versions that cannot load a dump, and the end of an interrupted load. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'
import { type MemoryBucket, memoryBucket } from './memory-bucket.ts'

const fileOf = (name: string) => readFileSync(new URL(`../fixtures/rdb/${name}.rdb`, import.meta.url))
const kind = kindNamed('redis')

type Run = Input & { runId: string; status: string; reason: string | null; rowCount: number | null }
type Backup = Input & { backupId: string }

let testBerth: TestBerth
let bucket: MemoryBucket
let destinationId: string
/** What the program of a dump prints. */
let snapshot: Buffer
/** The programs that ran, by the part of a name: `dump`, `load`, `identify`, `end`, `clear`. */
let programs: string[]
/** Whether the server has the data of the last load, and whether it answers the programs around a load. */
let server: { isReplaced: boolean; answers: boolean }
/** What a load does after it has read its input. */
let load: (signal: AbortSignal) => Promise<number>

beforeEach(async () => {
  bucket = await memoryBucket()
  testBerth = await startTestBerth({}, { attempts: 1 })
  const created = await testBerth.ok<{ destinationId: string }>('destination.create', {
    name: 'bucket',
    accessKey: 'key',
    secretAccessKey: 'a-secret-of-the-storage',
    bucket: 'backups',
    region: '',
    endpoint: bucket.endpoint,
  })
  destinationId = created.destinationId
  snapshot = fileOf('redis-7.0.15')
  programs = []
  server = { isReplaced: false, answers: true }
  load = () => Promise.resolve(0)
  testBerth.engine.onJob = async ({ name }, { stdin, stdout, signal }) => {
    const part = /^berth-([a-z-]+)-[0-9a-f]{8}-/.exec(name)![1]!
    programs.push(part)
    if (part === 'dump') stdout.write(snapshot)
    if (part === 'end' && !server.answers) return 1
    if (part === 'identify') stdout.write(server.isReplaced ? '1\n' : '0\n')
    if (part === 'clear') server.isReplaced = false
    if (part !== 'load') return 0
    await stdin!.toArray()
    return load(signal)
  }
})
afterEach(async () => {
  await testBerth.close()
  await bucket[Symbol.asyncDispose]()
})

const deployed = (dockerImage = 'redis:8') => databaseClientsOf(testBerth, kind).createDeployed({ dockerImage })

const create = (service: Input, more: Input = {}) =>
  testBerth.ok<Backup>('backup.createRedis', {
    schedule: '0 3 1 1 *',
    prefix: 'nightly',
    destinationId,
    redisId: service.redisId,
    ...more,
  })

const runsOf = (service: Input) => testBerth.ok<Run[]>('backup.runs', { serviceId: service.redisId })

const ended = ({ runId }: Run, service: Input) =>
  until(
    'the run to end',
    async () => {
      const run = (await runsOf(service)).find((it) => it.runId === runId)
      return run === undefined || run.status === 'running' ? null : run
    },
    150_000,
  )

async function dumpOf(service: Input): Promise<Run & Backup> {
  const { backupId } = await create(service)
  const run = await ended(await testBerth.ok<Run>('backup.manualBackupRedis', { backupId }), service)
  assert.deepEqual([run.status, run.reason], ['done', null])
  return { ...run, backupId }
}

test('createRedis makes a backup of all databases, which update cannot limit to one', async () => {
  const service = await deployed()
  const backup = await create(service, { keepLatest: 7, verifySchedule: '@weekly' })
  assert.deepEqual(
    [backup.databaseType, backup.database, backup.redisId, backup.postgresId, backup.keepLatest, backup.verifySchedule],
    ['redis', 'all', service.redisId, null, 7, '@weekly'],
  )
  assert.deepEqual(await testBerth.ok('backup.one', { backupId: backup.backupId }), backup)
  const { backupId, prefix } = backup
  const fields = { backupId, schedule: '@daily', prefix, destinationId }
  await testBerth.refused('BAD_REQUEST', 'backup.update', { ...fields, database: '0' }, 'database')
  const changed = await testBerth.ok<Backup>('backup.update', { ...fields, database: 'all' })
  assert.equal(changed.schedule, '@daily')
  const input = { ...fields, backupId: undefined, redisId: service.redisId, database: 'x', databaseType: 'redis' }
  await testBerth.refused('BAD_REQUEST', 'backup.create', input, 'databaseType')
  await testBerth.refused('NOT_FOUND', 'backup.createRedis', { ...fields, redisId: 'unknown' })
  const { message } = await testBerth.refused('BAD_REQUEST', 'backup.manualBackupMongo', { backupId }, 'backupId')
  assert.match(message, /backup\.manualBackupRedis/)
})

test('a dump counts the keys of each database, and names the product and its version', async () => {
  const service = await deployed()
  const run = await dumpOf(service)
  assert.match(String(run.key), /^nightly\/.+\/all\/.+\.rdb\.zst$/)
  const manifest = await testBerth.ok<Input>('backup.manifest', { runId: run.runId })
  assert.deepEqual([manifest.product, manifest.rowCount, run.rowCount], ['Redis', 23, 23])
  assert.deepEqual((manifest.tables as Input[]).find(({ name }) => name === '9 list')!.rows, 1)
  assert.deepEqual(
    (manifest.objects as Input[]).map(({ name, rows }) => [name, rows]),
    [['FUNCTION', 1]],
  )
})

test('a dump that is cut or changed is not good', async () => {
  const service = await deployed()
  const { backupId } = await create(service)
  const whole = snapshot
  const changed = Buffer.from(whole)
  changed[whole.length >> 1]! ^= 1
  for (const broken of [whole.subarray(0, -1), changed, Buffer.alloc(0)]) {
    snapshot = broken
    const run = await ended(await testBerth.ok<Run>('backup.manualBackupRedis', { backupId }), service)
    assert.deepEqual([run.status, run.reasonCode], ['error', 'ArchiveBroken'])
  }
})

test('a restore is refused if the server cannot load the dump, and no other', async () => {
  const source = await deployed()
  const dumps: Record<string, Run> = {}
  for (const name of ['redis-7.0.15', 'redis-8.0.2', 'valkey-9.1.2']) {
    snapshot = fileOf(name)
    dumps[name] = await dumpOf(source)
  }
  const valkey = await deployed('valkey/valkey:9')
  const refused: [dump: string, target: Input, message: RegExp][] = [
    ['redis-8.0.2', valkey, /Redis 8\.0\.2\. Valkey /],
    ['valkey-9.1.2', source, /Valkey 9\.1\.2\. Redis /],
  ]
  for (const [dump, target, pattern] of refused) {
    const input = { runId: dumps[dump]!.runId, redisId: target.redisId, confirm: target.appName }
    const { message } = await testBerth.refused('PRECONDITION_FAILED', 'backup.restore', input)
    assert.match(message, pattern)
  }
  for (const [dump, target] of [
    ['redis-7.0.15', valkey],
    ['valkey-9.1.2', valkey],
    ['redis-8.0.2', source],
  ] as const) {
    const input = { runId: dumps[dump]!.runId, redisId: target.redisId, confirm: target.appName }
    const run = await ended(await testBerth.ok<Run>('backup.restore', input), target)
    assert.deepEqual([run.status, run.reason], ['done', null])
  }
  const input = { runId: dumps['redis-7.0.15']!.runId, redisId: source.redisId, confirm: source.appName, database: '1' }
  await testBerth.refused('BAD_REQUEST', 'backup.restore', input, 'database')
})

/** Makes a dump, and returns a function that begins a restore of it into the same service. */
async function restorable(): Promise<{ service: Input; restore: () => Promise<Run> }> {
  const service = await deployed()
  const { runId } = await dumpOf(service)
  const input = { runId, redisId: service.redisId, confirm: service.appName }
  return { service, restore: () => testBerth.ok<Run>('backup.restore', input) }
}

/** Resolves when the load is killed. */
const untilKilled = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))

const outcomeOf = ({ status, data, fault }: Run) => [status, data, (fault as Input | null)?.reason ?? null]

test('a load that fails or is cancelled is ended on its server, and the data is unchanged', async () => {
  const { service, restore } = await restorable()
  load = () => Promise.resolve(1)
  assert.deepEqual(outcomeOf(await ended(await restore(), service)), ['error', 'unchanged', 'LoadFailed'])
  assert.deepEqual(programs.slice(-5), ['identify', 'load', 'end', 'identify', 'clear'])

  load = (signal) => untilKilled(signal).then(() => 137)
  const run = await restore()
  await until('the load to begin', () => Promise.resolve(programs.at(-1) === 'load'))
  await testBerth.ok('backup.cancel', { runId: run.runId })
  assert.deepEqual(outcomeOf(await ended(run, service)), ['error', 'unchanged', 'LoadFailed'])

  load = () => Promise.resolve(0)
  assert.deepEqual(outcomeOf(await ended(await restore(), service)), ['done', 'replaced', null])
  assert.deepEqual(programs.slice(-3), ['identify', 'load', 'clear'])
})

test('a load that is killed after it has replaced the data is done', async () => {
  const { service, restore } = await restorable()
  load = () => {
    server.isReplaced = true
    return Promise.resolve(137)
  }
  assert.deepEqual(outcomeOf(await ended(await restore(), service)), ['done', 'replaced', null])
})

for (const isReplaced of [false, true]) {
  test(`after a restart of Berth, the server says that its data is ${isReplaced ? 'replaced' : 'unchanged'}`, async () => {
    const { service, restore } = await restorable()
    load = (signal) => untilKilled(signal).then(() => 137)
    const run = await restore()
    await until('the load to begin', () => Promise.resolve(programs.at(-1) === 'load'))
    await testBerth.restart(async () => {
      server.isReplaced = isReplaced
    })
    const outcome = isReplaced ? ['done', 'replaced', null] : ['error', 'unchanged', 'LoadInterrupted']
    assert.deepEqual(outcomeOf(await ended(run, service)), outcome)
    assert.equal(programs.filter((part) => part === 'load').length, 1)
  })
}

test('a run waits for a server that does not answer, and keeps the reason of its failure', async () => {
  const { service, restore } = await restorable()
  server.answers = false
  load = () => Promise.resolve(1)
  const run = await restore()
  const found = async () => (await runsOf(service)).find((it) => it.runId === run.runId)!
  await until('the run to wait', async () => (await found()).reasonCode === 'AwaitingServer')
  server.answers = true
  testBerth.pass(11_000)
  const failed = await ended(run, service)
  assert.deepEqual(outcomeOf(failed), ['error', 'unchanged', 'LoadFailed'])
  assert.match(failed.reason!, /exit code 1/)
})

test('a run ends without an answer if the server does not answer for a long time', async () => {
  const { service, restore } = await restorable()
  server.answers = false
  load = () => Promise.resolve(1)
  const run = await restore()
  const found = async () => (await runsOf(service)).find((it) => it.runId === run.runId)!
  await until('the run to wait', async () => (await found()).reasonCode === 'AwaitingServer')
  testBerth.pass(16 * 60_000)
  const failed = await ended(run, service)
  assert.deepEqual([outcomeOf(failed), (failed.fault as Input).data], [['error', null, 'LoadFailed'], 'unknown'])
})
