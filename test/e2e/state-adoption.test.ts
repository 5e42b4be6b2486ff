/** A restored state starts no second server on a volume, and adopts databases that were created since. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { freePort } from '../fixtures/free-port.ts'
import { run } from '../installation/run-command.ts'
import { clients } from './clients.ts'
import type { BerthProcess } from './process.ts'
import { berthsUnder, codeIn, deploy, type Differences, type Kind, ok, urlOf, waitHeader } from './restored-berths.ts'
import { containersOf, docker, sql, startTime } from './swarm.ts'

test('a restored state starts no second server on a volume, and adopts databases that it does not know', async () => {
  await using end = new AsyncDisposableStack()
  const folder = folderUnder(end)
  const { start, setInstallationId } = berthsUnder(end)
  const before = await start(folder)
  await before.signIn()
  const { projectId } = await ok<{ projectId: string }>(before, 'project.create', { name: 'shop' })
  const orders = await deploy(before, 'redis', { projectId, appName: `orders-${process.pid}` })
  const format = '{{index .Spec.Labels "berth.installation"}}'
  const [installationId] = await docker('service', 'inspect', orders.appName, '--format', format)
  setInstallationId(installationId!)
  const file = join(folderUnder(end), 'state')
  assert.equal((await run(folder, ['state', 'backup', file])).status, 0)
  const { redisId } = orders as unknown as { redisId: string }
  await ok(before, 'redis.remove', { redisId }, waitHeader)
  const [kept] = await ok<{ volumeId: string }[]>(before, 'volume.all', {})
  const input = { volumeId: kept!.volumeId, projectId, name: 'orders2', appName: `orders2-${process.pid}` }
  const orders2 = await ok<{ redisId: string; appName: string }>(before, 'volume.restore', input)
  await ok(before, 'redis.saveExternalPort', { redisId: orders2.redisId, externalPort: await freePort() })
  await ok(before, 'redis.deploy', { redisId: orders2.redisId }, waitHeader)
  const url = await urlOf(before, 'redis', orders2.redisId)
  const session = await clients.redis!.connect(url)
  await session.write('live')
  const containersOn = () => docker('ps', '--quiet', '--no-trunc', '--filter', `volume=${orders.volume}`)
  const containers = await containersOn()
  assert.deepEqual(containers, await containersOf(orders2.appName))
  const later = await deployWithOptions(before, { projectId, appName: `later-${process.pid}` })
  const services = [
    { idInput: { redisId: orders2.redisId }, kind: 'redis', ...(await credentialsIn(before, 'redis', orders2)) },
    {
      idInput: { postgresId: later.postgresId },
      kind: 'postgres',
      ...(await credentialsIn(before, 'postgres', later)),
    },
  ] as const
  assert.equal(await before.stop(), 0)

  assert.equal((await run(folder, ['state', 'restore', file, '--replace'])).status, 0)
  const after = await start(folder)
  await after.signInAgain()
  const refusal = await after.call<{ reason: string }>('redis.start', { redisId }, waitHeader)
  assert.deepEqual([refusal.status, refusal.body.reason], [503, 'StateUnconfirmed'])
  const { entries } = await ok<Differences>(after, 'state.differences', {})
  const found = entries
    .map(({ name, reasonCode, decisions }) => [name, reasonCode, decisions.join()])
    .sort(([a, kindA], [b, kindB]) => `${kindA} ${a}`.localeCompare(`${kindB} ${b}`))
  assert.deepEqual(found, [
    [orders.appName, 'RemovedSince', 'forget'],
    ...[later.appName, orders2.appName].sort().map((name) => [name, 'Unknown', 'leave,adopt']),
  ])
  assert.ok(entries[0]!.reason.includes(`is in use by the service ${orders2.appName}`), entries[0]!.reason)
  await confirmWithAdoptions(
    after,
    folder,
    services.map(({ adoption }) => adoption),
  )
  assert.equal((await after.call('redis.one', { redisId })).status, 404)
  for (const { idInput, kind, record } of services) await assertAdopted(after, kind, idInput, record)
  const volumes = await ok<{ name: string; state: string }[]>(after, 'volume.all', {})
  assert.deepEqual(
    volumes.map(({ name, state }) => [name, state]),
    [
      [orders.volume, 'attached'],
      [later.volume, 'attached'],
    ],
  )
  assert.deepEqual(await containersOn(), containers)
  await compareData('the adopted PostgreSQL', async () => {
    assert.deepEqual(await sql(later.url, 'select answer from kept'), [{ answer: 42 }])
    assert.deepEqual(
      [await startTime(later.url), await containersOf(later.appName)],
      [later.startedAt, later.containers],
    )
  })
  await ok(after, 'postgres.deploy', { postgresId: later.postgresId }, waitHeader)
  assert.deepEqual(await containersOf(later.appName), later.containers)
  await compareData('the data of the running database', async () => assert.deepEqual(await session.read(), ['live']))
  await session.close()
})

/** Deploys PostgreSQL with options, and creates a table. */
async function deployWithOptions(berth: BerthProcess, fields: { projectId: string; appName: string }) {
  const named = { ...fields, databaseName: 'shop', databaseUser: 'shop', command: '-c max_connections=40' }
  const service = await deploy(berth, 'postgres', { ...named, env: 'TZ=Europe/Berlin' })
  await sql(service.url, 'create table kept as select 42 as answer')
  const { postgresId } = service
  return {
    ...service,
    postgresId,
    startedAt: await startTime(service.url),
    containers: await containersOf(service.appName),
  }
}

/** The record of a database, and the input that adopts its service. */
async function credentialsIn(berth: BerthProcess, kind: Kind, service: { appName: string; [name: string]: unknown }) {
  const record = await ok<Record<string, unknown>>(berth, `${kind}.one`, { [`${kind}Id`]: service[`${kind}Id`] })
  const names = ['databaseName', 'databaseUser', 'databasePassword'].filter((name) => name in record)
  const credentials = Object.fromEntries(names.map((name) => [name, String(record[name])]))
  return { record, adoption: { service: service.appName, dockerImage: record.dockerImage, credentials } }
}

interface AdoptionInput {
  service: string
  dockerImage: unknown
  credentials: Record<string, string>
}

/** Confirms the state with adoptions. Before, a wrong password is refused. */
async function confirmWithAdoptions(berth: BerthProcess, folder: string, adopted: readonly AdoptionInput[]) {
  const { version } = await ok<Differences>(berth, 'state.differences', {})
  const code = await codeIn(folder)
  const inputWith = (changes: Record<string, string>) => ({
    code,
    version,
    takeProposals: true,
    decisions: Object.fromEntries(adopted.map(({ service }) => [service, 'adopt'])),
    adoptions: Object.fromEntries(
      adopted.map(({ service, dockerImage, credentials }) => [service, { dockerImage, ...credentials, ...changes }]),
    ),
  })
  const refused = await berth.call<{ issues: { path: string }[] }>(
    'state.confirm',
    inputWith({ databasePassword: 'no' }),
  )
  assert.deepEqual([refused.status, refused.body.issues.length], [422, 1], JSON.stringify(refused.body))
  assert.match(refused.body.issues[0]!.path, /^adoptions\..+\.databasePassword$/)
  await ok(berth, 'state.confirm', inputWith({}))
}

/** Asserts that an adopted database is up, and that its record equals the one before the restore. */
async function assertAdopted(
  berth: BerthProcess,
  kind: Kind,
  idInput: Record<string, unknown>,
  record: Record<string, unknown>,
) {
  const adopted = await until('the adopted database to be up', async () => {
    const one = await ok<Record<string, unknown>>(berth, `${kind}.one`, idInput)
    return one.applicationStatus === 'done' ? one : undefined
  })
  const { appName, createdAt, lastDeployedAt } = adopted
  assert.deepEqual(adopted, { ...record, name: appName, createdAt, lastDeployedAt })
}
