/** Failures of a database on a real swarm. Berth reports the engine's message and leaves a correct state. */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { placesTests, snapshotTests } from './places-suite.ts'
import { until } from '../engine/until.ts'
import { freePort } from '../fixtures/free-port.ts'
import {
  containersOf,
  create,
  docker,
  onSwarm,
  getService,
  refusalOf,
  type Service,
  callAndWait,
  sql,
  type Swarm,
  uniqueName,
} from './swarm.ts'

let berth: Swarm
before(async () => {
  berth = await onSwarm()
})
after(() => berth[Symbol.asyncDispose]())

placesTests(() => berth)
snapshotTests(() => berth)

const update = (service: Service, fields: Record<string, unknown>) =>
  berth.call<Service>('postgres.update', { postgresId: service.postgresId, ...fields })

/** Creates and deploys a service with an external port. */
async function deployed(): Promise<Service> {
  const service = await create(berth)
  await berth.call('postgres.saveExternalPort', { postgresId: service.postgresId, externalPort: await freePort() })
  const { status, body } = await callAndWait(berth, 'deploy', service)
  assert.deepEqual([status, body.message], [200, undefined])
  return getService(berth, service)
}

/** Returns the running and desired replicas, for example `['0/1']`, or an empty array if the service is missing. */
async function replicasOf(appName: string) {
  return docker('service', 'ls', '--filter', `name=${appName}`, '--format', '{{.Replicas}}')
}

/** `replicas` is the result of `replicasOf`. A missing image is reported before the service is created. */
const broken: [cause: string, fields: Record<string, unknown>, messagePattern: RegExp, replicas: string[]][] = [
  [
    'an image that does not exist',
    { dockerImage: 'postgres:15-no-such' },
    /^Image not found.*No such image: postgres:15-no-such/,
    [],
  ],
  [
    'a server that refuses its arguments',
    { command: '-c no_such_setting=1' },
    /^The server ended with exit code 1.*\n.*unrecognized configuration parameter "no_such_setting"/s,
    ['0/0'],
  ],
  [
    'a memory limit that is too low for the server',
    { memoryLimit: 6 },
    /out of memory \(memoryLimit is 6 MiB\)/,
    ['0/0'],
  ],
  [
    'a CPU reservation that no node has',
    { cpuReservation: 1000 },
    /^The node has too little free memory or CPU.*insufficient resources/,
    ['0/0'],
  ],
]

// Most of these tests wait for the engine.
describe('failures', { concurrency: 2 }, () => {
  runningTests()
  firstDeployTests()
})

function firstDeployTests(): void {
  for (const [cause, fields, messagePattern, replicas] of broken) {
    test(`${cause}: the first deploy fails with a message, and no container keeps restarting`, async () => {
      const service = await create(berth)
      await update(service, fields)
      const { status, body } = await callAndWait(berth, 'deploy', service)
      assert.equal(status, 422)
      assert.match(body.message, messagePattern)
      const record = await getService(berth, service)
      assert.deepEqual([record.applicationStatus, record.statusReason], ['error', body.message])
      assert.deepEqual([await replicasOf(service.appName), await containersOf(service.appName)], [replicas, []])
      assert.equal((await callAndWait(berth, 'remove', service, { removeData: true })).status, 200)
    })
  }

  test('a parallel query uses shared memory up to the memory limit', async () => {
    const service = await create(berth)
    await update(service, { memoryLimit: 600, externalPort: await freePort() })
    assert.equal((await callAndWait(berth, 'deploy', service)).status, 200)
    const { externalUrl } = (await getService(berth, service)).connection
    await sql(
      externalUrl,
      `create unlogged table wide as select n, repeat('x', 300) as text from generate_series(1, 600000) n`,
    )
    const settings = {
      work_mem: '400MB',
      hash_mem_multiplier: '1',
      min_parallel_table_scan_size: '0',
      parallel_setup_cost: '0',
      parallel_tuple_cost: '0',
      enable_mergejoin: 'off',
      enable_nestloop: 'off',
    }
    const set = Object.entries(settings).map(([name, value]) => `alter role shop set ${name} = '${value}'`)
    await sql(externalUrl, `${set.join(';')}; analyze wide`)
    const join = 'select sum(length(b.text))::int as length from wide a join wide b using (n)'
    const plan = await sql(externalUrl, `explain ${join}`)
    assert.match(plan.map((row) => row['QUERY PLAN']).join('\n'), /Parallel Hash Join/)
    // The hash table has about 190 MiB, which is more than a quarter of the limit.
    assert.deepEqual(await sql(externalUrl, join), [{ length: 180_000_000 }])
    assert.equal((await callAndWait(berth, 'remove', service, { removeData: true })).status, 200)
  })

  test('a name of a Swarm service that Berth does not own is refused, and that service stays unchanged', async (t) => {
    const appName = uniqueName('foreign')
    await docker(
      'service',
      'create',
      '--detach',
      '--name',
      appName,
      '--endpoint-mode',
      'dnsrr',
      '--replicas',
      '0',
      'postgres:15',
    )
    t.after(() => docker('service', 'rm', appName))
    const refusal = await until('the name to be refused', async () => {
      const fields = {
        name: 'x',
        appName,
        projectId: berth.projectId,
        databaseName: 'x',
        databaseUser: 'x',
        databasePassword: 'x',
      }
      const response = await berth.call<{ issues: unknown[] }>('postgres.create', fields)
      return response.status === 409 && response.body
    })
    assert.deepEqual(refusal.issues.length, 1)
    // This name is taken between the creation and the deploy.
    const late = await create(berth)
    await docker(
      'service',
      'create',
      '--detach',
      '--name',
      late.appName,
      '--endpoint-mode',
      'dnsrr',
      '--replicas',
      '0',
      'postgres:15',
    )
    t.after(() => docker('service', 'rm', late.appName))
    const { status, body } = await callAndWait(berth, 'deploy', late)
    assert.equal(status, 422)
    assert.match(body.message, /already called .* Choose another appName/)
    await callAndWait(berth, 'remove', late, { removeData: true })
    assert.deepEqual(await docker('service', 'ls', '--filter', `name=${late.appName}`, '--format', '{{.Image}}'), [
      'postgres:15',
    ])
  })
}

/** The tests share one database and run in order. After each but the last, it runs with its data. */
function runningTests(): void {
  describe('a running database', { concurrency: 1 }, () => {
    let service: Service
    let url: string
    before(async () => {
      service = await deployed()
      url = service.connection.externalUrl
      await sql(url, 'create table note as select 1 as it')
    })

    test('another major version on a volume with data is refused with instructions', async () => {
      const { status, body } = (await update(service, { dockerImage: 'postgres:17' })) as {
        status: number
        body: { message?: string }
      }
      assert.equal(status, 412)
      assert.match(
        body.message ?? '',
        /holds data of PostgreSQL 15.*Make a backup, create a new service with postgres:17/,
      )
    })

    test('a failed deploy rolls back to the last good specification and keeps the data', async () => {
      await update(service, { command: '-c no_such_setting=1', databasePassword: 'another' })
      const { status, body } = await callAndWait(berth, 'deploy', service)
      assert.equal(status, 422)
      assert.match(body.message, /exit code 1.*Rolled back: the last good specification runs and answers\.$/s)
      assert.ok(!body.message.includes('another'))
      assert.deepEqual(await sql(url, 'select it from note'), [{ it: 1 }])
      assert.equal((await getService(berth, service)).pendingChanges, true)
      await update(service, { command: null })
      const corrected = await callAndWait(berth, 'deploy', service)
      assert.deepEqual(
        [corrected.status, corrected.body.message, corrected.body.applicationStatus],
        [200, undefined, 'done'],
      )
      assert.equal(await refusalOf(url), '28P01')
      url = (await getService(berth, service)).connection.externalUrl
      assert.equal(await refusalOf(url), '')
    })

    test('a port that another program on the node uses is refused, and the previous port still works', async () => {
      const { externalPort } = await getService(berth, service)
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
      const { port } = server.address() as { port: number }
      const { status, body } = await callAndWait(berth, 'saveExternalPort', service, { externalPort: port })
      await new Promise((resolve) => server.close(resolve))
      assert.equal(status, 422)
      assert.match(body.message, /^The external port could not be opened: The port is taken on the node.*Rolled back/s)
      assert.equal(await refusalOf(url), '')
      assert.equal((await callAndWait(berth, 'saveExternalPort', service, { externalPort })).status, 200)
    })

    test('a deploy that cannot end delays no other service, and a stop supersedes it', async () => {
      const slow = await create(berth)
      // The server listens on another port, so it never answers Berth's check.
      await update(slow, { command: '-c port=5433' })
      const deploying = callAndWait(berth, 'deploy', slow)
      await until('the container of the slow deploy', async () => (await containersOf(slow.appName)).length === 1)
      const reloaded = await callAndWait(berth, 'reload', service, { appName: service.appName })
      assert.deepEqual([reloaded.status, reloaded.body.applicationStatus], [200, 'done'])
      assert.equal((await getService(berth, slow)).applicationStatus, 'running')
      const stopped = await callAndWait(berth, 'stop', slow)
      assert.deepEqual([stopped.status, stopped.body.applicationStatus], [200, 'idle'])
      const superseded = await deploying
      assert.equal(superseded.status, 409)
      assert.match(superseded.body.message, /^Superseded by a later call/)
      assert.deepEqual(await containersOf(slow.appName), [])
    })

    test('a password that was changed inside the database is reported, and its container is kept', async () => {
      await sql(url, "alter role shop password 'changed inside'")
      const before = await containersOf(service.appName)
      const { status, body } = await callAndWait(berth, 'deploy', service)
      assert.equal(status, 422)
      assert.match(body.message, /rejects the stored user or password.*password authentication failed/)
      assert.deepEqual(await containersOf(service.appName), before)
      const inside = Object.assign(new URL(url), { password: 'changed inside' })
      assert.deepEqual(await sql(inside.href, 'select it from note'), [{ it: 1 }])
    })
  })
}
