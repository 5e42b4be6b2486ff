/** Berth's own state moves to another folder: what runs on the swarm goes on, in the hands of the second Berth. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../engine/until.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { run } from '../installation/run-words.ts'
import { clients } from './clients.ts'
import { type BerthProcess, berthProcess } from './process.ts'
import { containersOf, docker, freePort, removeAll, type Service, sql, startTime } from './swarm.ts'

const wait = { prefer: 'wait=180' }

async function ok<T>(
  berth: BerthProcess,
  name: string,
  input: Record<string, unknown>,
  headers: Record<string, string> = {},
) {
  const { status, body } = await berth.call<T>(name, input, headers)
  assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
  return body
}

/** Berths that are ended before what they made is taken away: one that runs would make it again. */
function berthsUnder(end: AsyncDisposableStack) {
  let installationId: string | undefined
  end.defer(async () => {
    if (installationId !== undefined) await removeAll(installationId)
  })
  return {
    begun,
    isOf: (id: string) => {
      installationId = id
    },
  }

  async function begun(folder: string) {
    const berth = await berthProcess(folder)
    end.defer(() => berth.kill())
    await berth.start()
    return berth
  }
}

/** Redis, which is quick to make, where it is not the data that is looked at. */
type Kind = 'postgres' | 'redis'

async function deployed(
  berth: BerthProcess,
  kind: Kind,
  fields: { projectId: string; appName: string; [name: string]: string },
): Promise<Service & { url: string }> {
  const wanted = { name: 'e2e', databasePassword: '', ...fields }
  const { [`${kind}Id`]: id } = await ok<Record<string, string>>(berth, `${kind}.create`, wanted)
  await ok(berth, `${kind}.saveExternalPort`, { [`${kind}Id`]: id, externalPort: await freePort() })
  const service = await ok<Service>(berth, `${kind}.deploy`, { [`${kind}Id`]: id }, wait)
  return { ...service, url: await urlOf(berth, kind, id!) }
}

/** With the password, which the deploy's answer masks. */
async function urlOf(berth: BerthProcess, kind: Kind, id: string) {
  const { connection, externalPort } = await ok<Service>(berth, `${kind}.one`, { [`${kind}Id`]: id })
  const url = new URL(connection.externalUrl)
  assert.equal(url.port, String(externalPort))
  url.hostname = '127.0.0.1'
  return url.href
}

/** Calls that change something, one after the other, until it is told to end. */
function traffic(berth: BerthProcess, projectId: string) {
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

test('a second Berth takes over by a backup of the state made while calls went on', async () => {
  await using end = new AsyncDisposableStack()
  const [first, second] = [folderUnder(end), folderUnder(end)]
  const { begun, isOf } = berthsUnder(end)
  const before = await begun(first)
  await before.signIn()
  const { projectId } = await ok<{ projectId: string }>(before, 'project.create', { name: 'shop' })
  const named = { projectId, appName: `state-${process.pid}`, databaseName: 'shop', databaseUser: 'shop' }
  const service = await deployed(before, 'postgres', named)
  const format = '{{index .Spec.Labels "berth.installation"}}'
  const [installationId] = await docker('service', 'inspect', service.appName, '--format', format)
  isOf(installationId!)
  await sql(service.url, 'create table kept as select 42 as answer')
  const started = await startTime(service.url)
  const containers = await containersOf(service.appName)

  const endTraffic = traffic(before, projectId)
  const file = join(folderUnder(end), 'state')
  const backedUp = await run(first, ['state', 'backup', file])
  assert.deepEqual([backedUp.status, backedUp.err], [0, ''])
  assert.ok((await endTraffic()) > 0)
  const later = await deployed(before, 'redis', { projectId, appName: `state-later-${process.pid}` })
  const laterContainers = await containersOf(later.appName)
  assert.equal(await before.stop(), 0)

  const wrong = await run(second, ['state', 'restore', file], { BERTH_MASTER_KEY: 'cd'.repeat(32) })
  assert.equal(wrong.status, 1)
  assert.match(wrong.err, /was sealed with the master key/)
  writeFileSync(join(second, 'master.key'), readFileSync(join(first, 'master.key')))
  assert.equal((await run(second, ['state', 'restore', file])).status, 0)
  const after = await begun(second)
  await after.signInAgain()
  await isTakenOver(after, service, { started, containers })
  await isLeftAlone(second, later, laterContainers)
  await goesOn(after, projectId, service)
  assert.deepEqual(await containersOf(later.appName), laterContainers)
})

async function isTakenOver(
  berth: BerthProcess,
  { postgresId, appName, url }: Service & { url: string },
  { started, containers }: { started: unknown; containers: string[] },
) {
  const seen = await ok<Service & { drift: string[] }>(berth, 'postgres.one', { postgresId })
  assert.deepEqual([seen.applicationStatus, seen.statusReason, seen.drift], ['done', null, []])
  assert.equal(await urlOf(berth, 'postgres', postgresId), url)
  assert.deepEqual(await sql(url, 'select answer from kept'), [{ answer: 42 }])
  assert.deepEqual([await startTime(url), await containersOf(appName)], [started, containers])
}

/** What the restored state does not know is reported, once the swarm was looked at, and goes on. */
async function isLeftAlone(folder: string, { appName, url }: Service & { url: string }, containers: string[]) {
  const said = () =>
    readFileSync(join(folder, 'berth.log'), 'utf8')
      .split('\n')
      .some((line) => line.includes(appName) && line.includes('belongs to no record; it is left alone'))
  await until('the service without a record to be reported', async () => said(), 60_000)
  assert.deepEqual(await containersOf(appName), containers)
  const session = await clients.redis!.connect(url)
  await session.write('still here')
  assert.deepEqual(await session.read(), ['still here'])
  await session.close()
}

async function goesOn(berth: BerthProcess, projectId: string, { postgresId, url }: Service & { url: string }) {
  const externalPort = await freePort()
  const started = await startTime(url)
  await ok(berth, 'postgres.saveExternalPort', { postgresId, externalPort }, wait)
  const moved = await urlOf(berth, 'postgres', postgresId)
  assert.deepEqual([new URL(moved).port, await startTime(moved)], [String(externalPort), started])
  const one = await ok<Service>(berth, 'postgres.one', { postgresId })
  await ok(berth, 'postgres.update', { ...one, command: '-c max_connections=33' })
  const again = await ok<Service>(berth, 'postgres.deploy', { postgresId }, wait)
  assert.equal(again.applicationStatus, 'done')
  assert.deepEqual(await sql(moved, 'show max_connections'), [{ max_connections: '33' }])
  assert.deepEqual(await sql(moved, 'select answer from kept'), [{ answer: 42 }])
  const fresh = await deployed(berth, 'redis', { projectId, appName: `state-new-${process.pid}` })
  assert.equal(fresh.applicationStatus, 'done')
}
