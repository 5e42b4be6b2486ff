/**
 * Tests faults of the engine during deploys. Calls that do not need the engine must be answered, calls that query it must
 * report the fault, and all deploys must succeed after the fault ends.
 */
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { until } from '../engine/until.ts'
import { type BerthProcess, berthProcess } from '../e2e/process.ts'
import { containersOf, docker, dockerHost, removeAll, type Service } from '../e2e/swarm.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { type Fault, openRelay, type Relay, slowMs } from './relay.ts'

/** The timeout of an engine query, and some time more for a busy machine. */
const inspectMs = 25_000
const recoveryMs = 120_000

interface TestBerth {
  berth: BerthProcess
  relay: Relay
  projectId: string
  name: string
}

async function open(t: TestContext, name: string): Promise<TestBerth> {
  const relay = await openRelay(t, decodeURIComponent(new URL(dockerHost).pathname))
  const berth = await berthProcess(temporaryFolder(t), { DOCKER_HOST: relay.dockerHost })
  t.after(() => berth.kill())
  await berth.start()
  await berth.signIn()
  const { body } = await berth.call<{ projectId: string }>('project.create', { name: 'faults' })
  return { berth, relay, projectId: body.projectId, name }
}

async function create({ berth, projectId, name }: TestBerth, count: number) {
  const appName = `${name}-${process.pid}-${count}`
  const fields = { name: appName, appName, projectId, databaseName: 'shop', databaseUser: 'shop', databasePassword: '' }
  const { status, body } = await berth.call<Service>('postgres.create', fields)
  assert.equal(status, 200)
  return body
}

const act = ({ berth }: TestBerth, verb: string, { postgresId }: Service, fields = {}, headers = {}) =>
  berth.call<Service & { message: string }>(`postgres.${verb}`, { postgresId, ...fields }, headers)

async function isDone(testBerth: TestBerth, service: Service) {
  const { body } = await act(testBerth, 'one', service)
  assert.notEqual(body.applicationStatus, 'error', body.statusReason ?? '')
  return body.applicationStatus === 'done' && !body.pendingChanges
}

async function installationOf({ appName }: Service): Promise<string> {
  const format = '{{index .Spec.Labels "berth.installation"}}'
  return (await docker('service', 'inspect', appName, '--format', format))[0]!
}

async function readyOf({ base }: BerthProcess) {
  const response = await fetch(`${base}/readyz`)
  return { status: response.status, text: await response.text() }
}

/** @param messagePattern the message of a call that queries the engine */
function engineFault(fault: Fault, messagePattern: RegExp): void {
  test(`deploys succeed after the engine fault: ${fault}`, async (t) => {
    const testBerth = await open(t, `fault-${fault.replace(' ', '-')}`)
    const { berth, relay } = testBerth
    const [first, second] = [await create(testBerth, 1), await create(testBerth, 2)]
    assert.equal((await act(testBerth, 'deploy', first, {}, { prefer: 'wait=120' })).status, 200)
    const installation = await installationOf(first)
    t.after(() => removeAll(installation))

    relay.set(fault)
    assert.equal((await act(testBerth, 'update', first, { memoryLimit: 512 })).status, 200)
    for (const service of [first, second]) {
      const { status, body } = await act(testBerth, 'deploy', service)
      assert.deepEqual([status, body.applicationStatus], [200, 'running'])
    }
    const queried = await berth.call<{ message: string }>('cluster.getNodes', {})
    assert.ok([502, 503, 504].includes(queried.status), `${queried.status}`)
    assert.match(queried.body.message, messagePattern)
    const ready = await readyOf(berth)
    assert.equal(ready.status, 503)
    assert.match(ready.text, /"path":"engine"/)
    await until('the fault to affect several calls', async () => relay.hits() >= 6, inspectMs)
    for (const service of [first, second]) {
      assert.deepEqual((await act(testBerth, 'one', service)).body.applicationStatus, 'running')
    }

    relay.heal()
    for (const service of [first, second]) {
      await until(`${service.appName} to be done`, () => isDone(testBerth, service), recoveryMs)
      assert.equal((await containersOf(service.appName)).length, 1)
    }
    assert.equal((await readyOf(berth)).status, 200)
    await checkRest(testBerth, installation, [first, second])
  })
}

/** Checks that nothing exists twice, that removals leave nothing over, and that Berth stops. */
async function checkRest(testBerth: TestBerth, installation: string, services: Service[]) {
  const label = `label=berth.installation=${installation}`
  const listed = (what: string) => docker(what, 'ls', '--filter', label, '--format', '{{.Name}}')
  assert.deepEqual((await listed('service')).sort(), services.map(({ appName }) => appName).sort())
  assert.equal((await listed('volume')).length, services.length)
  for (const service of services) {
    const { status } = await act(testBerth, 'remove', service, { removeData: true }, { prefer: 'wait=120' })
    assert.equal(status, 200)
  }
  assert.deepEqual([await listed('service'), await listed('volume')], [[], []])
  assert.equal(await testBerth.berth.stop(), 0)
}

/** Every call to the engine is slow. No call may fail, and calls that do not need the engine must not wait. */
function slowEngine(): void {
  test('deploys succeed with a slow engine', async (t) => {
    const testBerth = await open(t, 'fault-slow')
    const { berth, relay } = testBerth
    const [first, second] = [await create(testBerth, 1), await create(testBerth, 2)]
    relay.set('slow')
    assert.equal((await act(testBerth, 'deploy', first)).status, 200)
    const installation = await until('the service', () => installationOf(first).catch(() => null), recoveryMs)
    t.after(() => removeAll(installation))
    assert.equal((await act(testBerth, 'deploy', second)).status, 200)
    const began = performance.now()
    assert.equal((await berth.call('project.all')).status, 200)
    assert.ok(performance.now() - began < slowMs, 'the call waited for the engine')
    const queried = await berth.call<unknown[]>('cluster.getNodes', {})
    assert.deepEqual([queried.status, queried.body.length], [200, 1])
    assert.equal((await readyOf(berth)).status, 200)
    for (const service of [first, second]) {
      await until(`${service.appName} to be done`, () => isDone(testBerth, service), 2 * recoveryMs)
    }
    assert.ok(relay.hits() > 20, `${relay.hits()} calls`)
    relay.heal()
    await checkRest(testBerth, installation, [first, second])
  })
}

/** One of `every` calls fails during a deploy, with alternating faults. */
function engineFaults(every: number): void {
  test(`a deploy succeeds if one of ${every} calls to the engine fails`, async (t) => {
    const testBerth = await open(t, 'fault-now-and-then')
    const { relay } = testBerth
    const service = await create(testBerth, 1)
    const faults: Fault[] = ['fail', 'cut', 'garbage', 'page', 'hang up']
    let [calls, changes] = [0, 0]
    const turns = setInterval(() => relay.setSome(faults[changes++ % faults.length]!, () => ++calls % every === 0), 700)
    t.after(() => clearInterval(turns))
    assert.equal((await act(testBerth, 'deploy', service)).status, 200)
    await until('the deploy to be done', () => isDone(testBerth, service), recoveryMs)
    const installation = await installationOf(service)
    t.after(() => removeAll(installation))
    assert.equal((await act(testBerth, 'update', service, { memoryLimit: 512 })).status, 200)
    assert.equal((await act(testBerth, 'deploy', service)).status, 200)
    await until('the second deploy to be done', () => isDone(testBerth, service), recoveryMs)
    assert.ok(calls > 50 && changes > 5, `${calls} calls, ${changes} changes of the fault`)
    clearInterval(turns)
    relay.heal()
    await checkRest(testBerth, installation, [service])
  })
}

describe('engine faults', { concurrency: 3 }, () => {
  engineFault('fail', /something broke/)
  engineFault('cut', /The engine does not answer/)
  engineFault('stall', /did not answer|within/)
  engineFault('garbage', /The engine does not answer/)
  engineFault('page', /not JSON/)
  engineFault('hang up', /The engine does not answer/)
  slowEngine()
  engineFaults(20)
})
