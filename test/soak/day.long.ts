/**
 * A day's traffic of a team in ten minutes at most: `./berth test soak`. Ten people and a dashboard poll lists, records
 * and figures each few seconds, and some of them deploy, back up and sign in. The memory and the open files of Berth's
 * process have to be level in the second half. BERTH_SOAK_CALLS says how many calls.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { folderUnder } from '../fixtures/folder.ts'
import { randomFrom } from '../crash/random.ts'
import { rowsOf } from '../crash/store.ts'
import { type BerthProcess, berthProcess } from '../e2e/process.ts'
import { startStorage } from '../e2e/storage.ts'
import { freePort, removeAll } from '../e2e/swarm.ts'
import { growth, type Sample, sampleOf } from './figures.ts'

/** Ten dashboards that poll each few seconds: 3 calls a second, 24 hours long. */
const calls = Number(process.env.BERTH_SOAK_CALLS ?? 250_000)
const maxMs = 10 * 60_000
const clients = 12
const sampleMs = 5000
/** What the second half may add: noise of the collector; and connections that come and go. */
const maxGrowth = { rssMiB: 12, openFiles: 8 }

/** Of what is done once in so many calls: a shorter day has its own too. */
const often = (each: number) => Math.max(1, Math.floor(each * Math.min(1, calls / 250_000)))

type Fields = Record<string, unknown>

test('the calls of a day leave the memory and the open files of Berth as they were', async (t) => {
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
  const began = performance.now()
  let left = calls
  const isOver = () => left <= 0 || performance.now() - began > maxMs
  const work = Promise.all(
    Array.from({ length: clients }, async (_, at) => {
      const random = randomFrom(1, `client ${at}`)
      while (!isOver()) await team.act(left--, random.below)
    }),
  )
  work.catch(() => undefined)
  const sampling = (async () => {
    while (!isOver()) {
      await pause(sampleMs)
      samples.push(sampleOf(berth.pid()))
      if (samples.length % 6 === 0) console.error(`${calls - Math.max(left, 0)} calls, ${toldOf(samples.at(-1)!)}`)
    }
  })()
  await work
  await sampling
  console.error(`${calls - Math.max(left, 0)} calls in ${Math.round((performance.now() - began) / 1000)} s`)
  assert.deepEqual([...team.worked].sort(), ['backup.manualBackupPostgres', 'redis.reload'])
  for (const figure of ['rssMiB', 'openFiles'] as const) {
    const grown = growth(samples, figure)
    const told = `${figure} grew by ${grown.toFixed(1)} in the second half`
    console.error(told)
    assert.ok(grown < maxGrowth[figure], `${told}: ${samples.map(toldOf).join(', ')}`)
  }
})

const toldOf = ({ rssMiB, openFiles }: Sample) => `${Math.round(rssMiB)} MiB and ${openFiles} open files`

/** What a team has, and what it asks: mostly how things are. */
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
    schedule: '0 3 1 1 *',
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
  const worked = new Set<string>()
  return { act, worked }

  /** The number of the call says whether it is one of those that are made now and then. */
  async function act(number: number, below: (limit: number) => number): Promise<void> {
    if (number % often(20_000) === 0) return settled('redis.reload', { redisId, appName })
    if (number % often(25_000) === 0) return settled('backup.manualBackupPostgres', { backupId })
    if (number % 5000 === 0)
      return void (await ok('auth.login', { email: 'ada@example.org', password: 'correct horse' }))
    if (number % 2000 === 0) return figures()
    if (number % 1000 === 0) return void (await ok('postgres.saveEnvironment', { postgresId, env: `N=${number}` }))
    const [name, input] = polls[below(polls.length)]!
    await ok(name, input)
  }

  /** An engine that has much to do does not tell them in time, and that is said. */
  async function figures(): Promise<void> {
    const { status } = await berth.call('postgres.stats', { postgresId })
    assert.ok([200, 503, 504].includes(status), `postgres.stats: ${status}`)
  }

  /** A later call takes the place of the one before where that is still at work. */
  async function settled(name: string, input: Fields): Promise<void> {
    const { status } = await berth.call(name, input, { prefer: 'wait=120' })
    assert.ok(status === 200 || status === 409, `${name}: ${status}`)
    if (status === 200) worked.add(name)
  }
}
