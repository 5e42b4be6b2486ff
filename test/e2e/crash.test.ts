/**
 * Berth is killed (-9) at random instants while deploys, stops, moves of ports and removals are under way. What was
 * acknowledged is remembered by the test; in the end store and swarm have to agree with it, and nothing is left over.
 * BERTH_CRASH_SEED repeats a run, BERTH_CRASH_KILLS makes it longer.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../engine/until.ts'
import { temporaryFolder } from '../folder.ts'
import { type BerthProcess, berthProcess } from './process.ts'
import { containersOf, docker, freePort, removeAll, type Service, sql } from './swarm.ts'

const seed = Number(process.env.BERTH_CRASH_SEED ?? Date.now() % 1_000_000)
const kills = Number(process.env.BERTH_CRASH_KILLS ?? 12)

type Goal = 'none' | 'up' | 'stopped' | 'gone'
/** What the test was told with a 200; `maybe`: the calls that were cut off, which may or may not count. */
interface Known {
  id: string; appName: string; port: number | null; goal: Goal; maybe: Set<Goal>; maybePorts: Set<number | null>
}

/** Mulberry32: a random generator that a seed repeats. */
function randomFrom(start: number) {
  let state = start
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

test(`${kills} kills at random instants: no acknowledged change is lost, `
  + `nothing is left over (seed ${seed})`, async (t) => {
  const random = randomFrom(seed)
  const folder = temporaryFolder(t)
  const berth = await berthProcess(folder)
  t.after(() => berth.kill())
  await berth.start()
  await berth.signIn()
  const { body: project } = await berth.call<{ projectId: string }>('project.create', { name: 'crash' })
  const services: Known[] = []
  for (let count = 0; count < 3; count++) services.push(await makeService(berth, project.projectId, count))
  const installationId = await installationOf(berth, services[0]!)
  t.after(() => removeAll(installationId))
  for (let kill = 0; kill < kills; kill++) {
    await actForAWhile(berth, services, random)
    await berth.start()
    t.diagnostic(`kill ${kill + 1}: ${services.map(({ goal, port }) => `${goal} ${port ?? '-'}`).join(', ')}`)
  }
  for (const service of services) await compare(berth, service)
  await compareEngine(berth, installationId)
})

async function makeService(berth: BerthProcess, projectId: string, count: number): Promise<Known> {
  const appName = `crash-${process.pid}-${count}`
  const { body } = await berth.call<Service>('postgres.create', {
    name: appName, appName, projectId, databaseName: 'shop', databaseUser: 'shop', databasePassword: `pass ${count}`,
  })
  return { id: body.postgresId, appName, port: null, goal: 'none', maybe: new Set(), maybePorts: new Set() }
}

/** Deploys the first service, so that the engine knows the installation. */
async function installationOf(berth: BerthProcess, service: Known): Promise<string> {
  const { status } = await berth.call('postgres.deploy', { postgresId: service.id }, { prefer: 'wait=120' })
  assert.equal(status, 200)
  service.goal = 'up'
  const format = '{{index .Spec.Labels "berth.installation"}}'
  return (await docker('service', 'inspect', service.appName, '--format', format))[0]!
}

/** A few calls, and then the plug is pulled at an instant that the calls do not know of. */
async function actForAWhile(berth: BerthProcess, services: Known[], random: (below: number) => number) {
  const calls = services.filter(() => random(3) > 0).map((service) => act(berth, service, random))
  await Promise.race([Promise.all(calls), pause(random(3000))])
  await pause(random(1500))
  await berth.kill()
  await Promise.all(calls)
}

const verbs = [
  'deploy', 'deploy', 'deploy', 'stop', 'stop', 'reload', 'saveExternalPort', 'saveExternalPort', 'remove',
] as const

function goalOf(verb: (typeof verbs)[number], service: Known): Goal {
  if (verb === 'remove') return 'gone'
  if (verb === 'saveExternalPort') return service.goal
  return verb === 'stop' ? 'stopped' : 'up'
}

async function act(berth: BerthProcess, service: Known, random: (below: number) => number) {
  if (service.goal === 'gone') return
  const verb = verbs[random(verbs.length)]!
  const goal = goalOf(verb, service)
  const port = verb === 'saveExternalPort' ? (random(3) === 0 ? null : await freePort()) : service.port
  const fields = verb === 'reload' ? { appName: service.appName }
    : verb === 'saveExternalPort' ? { externalPort: port } : {}
  // Until it is answered it may count or not.
  service.maybe.add(goal)
  service.maybePorts.add(port)
  const answer = await berth.call(`postgres.${verb}`, { postgresId: service.id, ...fields }).catch(() => null)
  if (answer === null || answer.status !== 200) return
  Object.assign(service, { goal, port, maybe: new Set(), maybePorts: new Set() })
}

/** The record agrees with what was acknowledged, and the world with the record. */
async function compare(berth: BerthProcess, service: Known) {
  const goals = [service.goal, ...service.maybe]
  const settled = await until(`${service.appName} to settle`, async () => {
    const { status, body } = await berth.call<Service>('postgres.one', { postgresId: service.id })
    return status === 404 ? 'gone' : body.applicationStatus !== 'running' && body
  }, 180_000)
  if (settled === 'gone') {
    assert.ok(goals.includes('gone'))
    // A server that is stopped while it makes its first files does not hear of it: it is killed after 50 s.
    return until(`${service.appName} to be gone`,
      async () => (await containersOf(service.appName)).length === 0, 180_000)
  }
  assert.notEqual(service.goal, 'gone')
  const ports = [service.port, ...service.maybePorts]
  assert.ok(ports.includes(settled.externalPort), `port ${settled.externalPort} is none of ${ports}`)
  const containers = await containersOf(service.appName)
  if (settled.applicationStatus === 'done') {
    assert.ok(goals.includes('up'))
    assert.equal(containers.length, 1)
    if (settled.externalPort !== null) {
      assert.deepEqual(await sql(settled.connection.externalUrl, 'select 1 as it'), [{ it: 1 }])
    }
  } else {
    assert.equal(settled.applicationStatus, 'idle', settled.statusReason ?? '')
    assert.ok(goals.includes('stopped') || goals.includes('none'))
    assert.deepEqual(containers, [])
  }
}

/** Exactly the services and volumes of the records: nothing twice, nothing left over. */
async function compareEngine(berth: BerthProcess, installationId: string) {
  const label = `label=berth.installation=${installationId}`
  const { body: projects } = await berth.call<{ postgres: Service[] }[]>('project.all')
  const records = projects.flatMap((project) => project.postgres)
  const whole = await Promise.all(records.map(async ({ postgresId }) =>
    (await berth.call<Service>('postgres.one', { postgresId })).body))
  const expected = whole.flatMap((it) => [
    ...(it.volume === null ? [] : [it.appName]),
    ...(it.applicationStatus === 'done' && it.externalPort !== null ? [`berth-gateway-${it.postgresId}`] : []),
  ])
  const format = ['--filter', label, '--format', '{{.Name}}']
  const volumes = await berth.call<{ name: string }[]>('volume.all')
  const kept = volumes.body.map(({ name }) => name)
  assert.deepEqual((await docker('service', 'ls', ...format)).sort(), expected.sort())
  const found = await docker('volume', 'ls', ...format)
  assert.deepEqual(found.filter((name) => !kept.includes(name)), [])
  assert.deepEqual(whole.flatMap(({ volume }) => volume ?? []).filter((name) => !found.includes(name)), [])
}
