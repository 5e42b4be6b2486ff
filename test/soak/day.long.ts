/**
 * The calls that a team makes in a day, in at most ten minutes: `./berth test soak`. Ten dashboards poll lists, records
 * and statistics; some calls deploy, back up and sign in. In the second half of the test, the memory and the number of
 * open files of Berth's process must not grow. BERTH_SOAK_CALLS sets the number of calls.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { folderUnder } from '../fixtures/folder.ts'
import { randomFrom } from '../crash/random.ts'
import { rowsOf } from '../crash/store.ts'
import { type BerthProcess, berthProcess } from '../e2e/process.ts'
import { startStorage } from '../e2e/storage.ts'
import { freePort } from '../fixtures/free-port.ts'
import { removeAll } from '../e2e/swarm.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'
import { growth, type Sample, sampleOf } from './figures.ts'

/** Ten dashboards that poll every few seconds make 3 calls a second, for 24 hours. */
const calls = Number(process.env.BERTH_SOAK_CALLS ?? 250_000)
const maxMs = 10 * 60_000
const clients = 12
const sampleMs = 5000
/** The allowed growth in the second half: the garbage collector and short connections cause some variation. */
const maxGrowth = { rssMiB: 12, openFiles: 8 }

/** Reduces an interval between rare calls if the test makes fewer calls than by default. Rare calls then occur, too. */
const every = (interval: number) => Math.max(1, Math.floor(interval * Math.min(1, calls / 250_000)))

type Fields = Record<string, unknown>

test('the calls of a day do not increase the memory and the open files of Berth', async (t) => {
  const end = new AsyncDisposableStack()
  t.after(() => end.disposeAsync())
  const folder = folderUnder(end)
  const storage = end.use(await startStorage())
  storage.makeBucket('backups')
  const berth = await berthProcess(folder)
  end.defer(() =>
    removeAll(rowsOf<{ value: string }>(folder, "select value from meta where key = 'installationId'")[0]!.value),
  )
  end.defer(() => berth.kill())
  await berth.start()
  await berth.signIn()
  const team = await teamOf(berth, storage.settings('backups'))
  const samples: Sample[] = [sampleOf(berth.pid())]
  const startMs = performance.now()
  let left = calls
  const isOver = () => left <= 0 || performance.now() - startMs > maxMs
  const traffic = Promise.all(
    Array.from({ length: clients }, async (_, index) => {
      const random = randomFrom(1, `client ${index}`)
      while (!isOver()) await team.act(left--, random.below)
    }),
  )
  traffic.catch(() => undefined)
  const sampling = (async () => {
    while (!isOver()) {
      await pause(sampleMs)
      samples.push(sampleOf(berth.pid()))
      if (samples.length % 6 === 0)
        console.error(`${calls - Math.max(left, 0)} calls, ${describeSample(samples.at(-1)!)}`)
    }
  })()
  await traffic
  await sampling
  console.error(`${calls - Math.max(left, 0)} calls in ${Math.round((performance.now() - startMs) / 1000)} s`)
  assert.deepEqual([...team.succeeded].sort(), ['backup.manualBackupPostgres', 'redis.reload'])
  for (const figure of ['rssMiB', 'openFiles'] as const) {
    const grown = growth(samples, figure)
    const message = `${figure} grew by ${grown.toFixed(1)} in the second half`
    console.error(message)
    assert.ok(grown < maxGrowth[figure], `${message}: ${samples.map(describeSample).join(', ')}`)
  }
})

const describeSample = ({ rssMiB, openFiles }: Sample) => `${Math.round(rssMiB)} MiB and ${openFiles} open files`

/** Creates the services of a team. `act` makes one of the team's calls, mostly a query. */
async function teamOf(berth: BerthProcess, settings: object) {
  const ok = async <T = Fields>(name: string, input: Fields = {}, headers: Record<string, string> = {}) => {
    const { status, body } = await berth.call<T>(name, input, headers)
    assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
    return body
  }
  const { projectId } = await ok<{ projectId: string }>('project.create', { name: 'team' })
  const { postgresId } = await ok<{ postgresId: string }>('postgres.create', {
    name: 'db',
    appName: `soak-${process.pid}-db`,
    projectId,
    databaseName: 'shop',
    databaseUser: 'shop',
    databasePassword: '',
    dockerImage: 'postgres:17',
  })
  const appName = `soak-${process.pid}-cache`
  const { redisId } = await ok<{ redisId: string }>('redis.create', {
    name: 'cache',
    appName,
    projectId,
    databasePassword: '',
    dockerImage: 'redis:8',
  })
  await ok('postgres.saveExternalPort', { postgresId, externalPort: await freePort() })
  for (const [name, input] of [
    ['postgres.deploy', { postgresId }],
    ['redis.deploy', { redisId }],
  ] as const) {
    await ok(name, input, { prefer: 'wait=120' })
  }
  const { destinationId } = await ok<{ destinationId: string }>('destination.create', { name: 'storage', ...settings })
  const { backupId } = await ok<{ backupId: string }>('backup.create', {
    schedule: restingSchedule,
    prefix: 'soak',
    destinationId,
    database: 'shop',
    databaseType: 'postgres',
    postgresId,
    keepLatest: 5,
  })
  const polls: [name: string, input: Fields][] = [
    ['project.all', {}],
    ['project.one', { projectId }],
    ['postgres.one', { postgresId }],
    ['redis.one', { redisId }],
    ['deployment.all', { limit: 20 }],
    ['backup.all', {}],
    ['backup.runs', { backupId, limit: 20 }],
    ['volume.all', {}],
    ['destination.all', {}],
    ['user.all', {}],
    ['application.all', {}],
    ['audit.all', { limit: 20 }],
  ]
  const succeeded = new Set<string>()
  return { act, succeeded }

  /** @param number the number of the call, which determines whether the call is a rare one */
  async function act(number: number, below: (limit: number) => number): Promise<void> {
    if (number % every(20_000) === 0) return callAndWait('redis.reload', { redisId, appName })
    if (number % every(25_000) === 0) return callAndWait('backup.manualBackupPostgres', { backupId })
    if (number % 5000 === 0)
      return void (await ok('auth.login', { email: 'ada@example.org', password: 'correct horse' }))
    if (number % 2000 === 0) return stats()
    if (number % 1000 === 0) return void (await ok('postgres.saveEnvironment', { postgresId, env: `N=${number}` }))
    const [name, input] = polls[below(polls.length)]!
    await ok(name, input)
  }

  /** A busy engine may not return the statistics in time. Berth then answers 503 or 504. */
  async function stats(): Promise<void> {
    const { status } = await berth.call('postgres.stats', { postgresId })
    assert.ok([200, 503, 504].includes(status), `postgres.stats: ${status}`)
  }

  /** Berth answers 409 if the previous call is still running, or if a later call replaces this one. */
  async function callAndWait(name: string, input: Fields): Promise<void> {
    const { status } = await berth.call(name, input, { prefer: 'wait=120' })
    assert.ok(status === 200 || status === 409, `${name}: ${status}`)
    if (status === 200) succeeded.add(name)
  }
}
