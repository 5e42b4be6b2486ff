/** Berth's own state moves to another folder. The databases keep running, and a second Berth manages them. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { freePort } from '../fixtures/free-port.ts'
import { run } from '../installation/run-command.ts'
import { clients } from './clients.ts'
import type { BerthProcess } from './process.ts'
import { berthsUnder, confirmState, deploy, type Differences, ok, urlOf, waitHeader } from './restored-berths.ts'
import { containersOf, docker, type Service, sql, startTime } from './swarm.ts'

/** Makes calls that change the state, one after another. The returned function ends them and returns their number. */
function startTraffic(berth: BerthProcess, projectId: string) {
  let isOver = false
  const calls = (async () => {
    let count = 0
    for (; !isOver; count++) await ok(berth, 'project.update', { projectId, name: `name ${count}` })
    return count
  })()
  return async () => {
    isOver = true
    return calls
  }
}

test('a second Berth takes over with a backup of the state that was made during calls', async () => {
  await using end = new AsyncDisposableStack()
  const [first, second] = [folderUnder(end), folderUnder(end)]
  const { start, setInstallationId } = berthsUnder(end)
  const before = await start(first)
  await before.signIn()
  const { projectId } = await ok<{ projectId: string }>(before, 'project.create', { name: 'shop' })
  const named = { projectId, appName: `state-${process.pid}`, databaseName: 'shop', databaseUser: 'shop' }
  const service = await deploy(before, 'postgres', named)
  const format = '{{index .Spec.Labels "berth.installation"}}'
  const [installationId] = await docker('service', 'inspect', service.appName, '--format', format)
  setInstallationId(installationId!)
  await sql(service.url, 'create table kept as select 42 as answer')
  const startedAt = await startTime(service.url)
  const containers = await containersOf(service.appName)

  const endTraffic = startTraffic(before, projectId)
  const file = join(folderUnder(end), 'state')
  const backedUp = await run(first, ['state', 'backup', file])
  assert.deepEqual([backedUp.status, backedUp.err], [0, ''])
  assert.ok((await endTraffic()) > 0)
  const later = await deploy(before, 'redis', { projectId, appName: `state-later-${process.pid}` })
  const laterContainers = await containersOf(later.appName)

  const wrong = await run(second, ['state', 'restore', file], { BERTH_MASTER_KEY: 'cd'.repeat(32) })
  assert.equal(wrong.status, 1)
  assert.match(wrong.err, /needs the master key/)
  writeFileSync(join(second, 'master.key'), readFileSync(join(first, 'master.key')))
  assert.equal((await run(second, ['state', 'restore', file])).status, 0)
  await assertChangesNothing(await start(second), before, projectId)
  const after = await start(second, { BERTH_TAKE_OVER: '1' })
  await after.signInAgain()
  await until('the first Berth to notice', () => isNotInCharge(before), 10_000)
  const refusal = await before.call('project.update', { projectId, name: 'too late' })
  assert.deepEqual([refusal.status, refusal.body.reason], [503, 'NotInCharge'])
  assert.equal(await before.stop(), 0)
  await assertUnconfirmed(after, later)
  await confirmState(after, second)
  await assertTakenOver(after, service, { startedAt, containers })
  await assertLeftAlone(second, later, laterContainers)
  await assertManaged(after, projectId, service)
  await compareData('the containers without a record', async () =>
    assert.deepEqual(await containersOf(later.appName), laterContainers),
  )
})

const isNotInCharge = async ({ base }: BerthProcess) => (await fetch(`${base}/readyz`)).status === 503

/** Asserts that a Berth with a copy of the state notices that another one is in charge. */
async function assertChangesNothing(copy: BerthProcess, inCharge: BerthProcess, projectId: string) {
  await copy.signInAgain()
  await until('the copy to notice', () => isNotInCharge(copy), 10_000)
  const { status, body } = await copy.call('project.update', { projectId, name: 'from the copy' })
  assert.deepEqual([status, body.reason], [503, 'NotInCharge'])
  await ok(inCharge, 'project.update', { projectId, name: 'from the first' })
  assert.equal(await copy.stop(), 0)
}

/** Asserts that a change is refused, because the state does not know a service. */
async function assertUnconfirmed(berth: BerthProcess, later: Service) {
  const { status, body } = await berth.call<{ reason: string }>('project.create', { name: 'refused' })
  assert.deepEqual([status, body.reason], [503, 'StateUnconfirmed'])
  const { entries } = await ok<Differences>(berth, 'state.differences', {})
  const found = entries.map(({ name, reasonCode }) => [name, reasonCode]).sort()
  assert.deepEqual(found, [
    [`state-${process.pid}`, 'AsRecorded'],
    [later.appName, 'Unknown'],
  ])
}

/** Asserts that the second Berth knows the service, and that the service was not restarted. */
async function assertTakenOver(
  berth: BerthProcess,
  { postgresId, appName, url }: Service & { url: string },
  { startedAt, containers }: { startedAt: unknown; containers: string[] },
) {
  const service = await ok<Service & { drift: string[] }>(berth, 'postgres.one', { postgresId })
  await compareData('the taken over service', async () => {
    assert.deepEqual([service.applicationStatus, service.statusReason, service.drift], ['done', null, []])
    assert.equal(await urlOf(berth, 'postgres', postgresId), url)
    assert.deepEqual([await startTime(url), await containersOf(appName)], [startedAt, containers])
  })
  await compareKept(url)
}

/** Asserts that the database has its table. */
const compareKept = (url: string) =>
  compareData('the table of the service', async () =>
    assert.deepEqual(await sql(url, 'select answer from kept'), [{ answer: 42 }]),
  )

/** Asserts that a service that is not in the restored state is logged and keeps running. */
async function assertLeftAlone(folder: string, { appName, url }: Service & { url: string }, containers: string[]) {
  const isLogged = () =>
    readFileSync(join(folder, 'berth.log'), 'utf8')
      .split('\n')
      .some((line) => line.includes(appName) && line.includes('belongs to no record; it is left alone'))
  await until('the service without a record to be reported', async () => isLogged(), 60_000)
  assert.deepEqual(await containersOf(appName), containers)
  const session = await clients.redis!.connect(url)
  await session.write('still here')
  await compareData('the service without a record', async () => assert.deepEqual(await session.read(), ['still here']))
  await session.close()
}

/** Asserts that the second Berth can change the service, and can deploy another one. */
async function assertManaged(berth: BerthProcess, projectId: string, { postgresId, url }: Service & { url: string }) {
  const externalPort = await freePort()
  const startedAt = await startTime(url)
  await ok(berth, 'postgres.saveExternalPort', { postgresId, externalPort }, waitHeader)
  const newUrl = await urlOf(berth, 'postgres', postgresId)
  assert.deepEqual([new URL(newUrl).port, await startTime(newUrl)], [String(externalPort), startedAt])
  const one = await ok<Service>(berth, 'postgres.one', { postgresId })
  await ok(berth, 'postgres.update', { ...one, command: '-c max_connections=33' })
  const deployed = await ok<Service>(berth, 'postgres.deploy', { postgresId }, waitHeader)
  assert.equal(deployed.applicationStatus, 'done')
  assert.deepEqual(await sql(newUrl, 'show max_connections'), [{ max_connections: '33' }])
  await compareKept(newUrl)
  const fresh = await deploy(berth, 'redis', { projectId, appName: `state-new-${process.pid}` })
  assert.equal(fresh.applicationStatus, 'done')
}
