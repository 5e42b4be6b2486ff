/** The ports to the engines of other nodes, over the in-memory engine: their services, states and certificates. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, test } from 'node:test'
import { fromJson } from '../../src/lib/json.ts'
import type { EngineState, NodeEngineTable } from '../../src/nodes/engines/table.ts'
import { afterTurn, readConditions, untilPresent } from '../conditions/conditions.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { kinds } from '../../src/kinds/index.ts'
import { readNodes, startNodesBerth } from './cluster.ts'
import { type TestBerth, wait } from '../fixtures/test-berth.ts'

const name = 'berth-engine-node2'

const readEngine = (testBerth: TestBerth): Promise<NodeEngineTable | undefined> =>
  testBerth.app.db.selectFrom('nodeEngine').selectAll().where('nodeId', '=', 'node2').executeTakeFirst()

/** Waits until the port has this state and, if it is given, a reason with this code. Moves the clock at each poll. */
function untilState(testBerth: TestBerth, state: EngineState, code?: string): Promise<NodeEngineTable> {
  return testBerth.until(`${state} ${code ?? ''}`, async () => {
    testBerth.pass(1000)
    const row = await readEngine(testBerth)
    if (row === undefined || row.state !== state) return null
    return code === undefined || fromJson(row.reason)?.reason === code ? row : null
  })
}

async function startWithNode(env: Record<string, string> = {}): Promise<TestBerth> {
  const testBerth = await startNodesBerth(env)
  testBerth.engine.addNode('node2', { hostname: 'second', address: '192.0.2.20' })
  return testBerth
}

const configurationOf = (testBerth: TestBerth) => testBerth.engine.specOf(name)!.files[0]!.content
const readAccess = (testBerth: TestBerth) => testBerth.app.db.selectFrom('engineAccess').selectAll().execute()

describe('the ports to the engines of other nodes', { concurrency: true }, () => {
  serviceTests()
  stateTests()
  placementTests()
  rotationTests()
})

function serviceTests(): void {
  test('creates a port on each other node, and none on its own', async () => {
    await using testBerth = await startWithNode()
    const row = await untilState(testBerth, 'reachable')
    const spec = testBerth.engine.specOf(name)!
    assert.deepEqual([spec.nodeId, spec.hostNetwork, spec.user, spec.capabilities], ['node2', true, '0:0', []])
    assert.match(configurationOf(testBerth), /bind ipv4@192\.0\.2\.20:2376 ssl /)
    assert.match(configurationOf(testBerth), /unless { src 192\.0\.2\.10\/32 }/)
    const [access] = await readAccess(testBerth)
    assert.equal(row.fingerprints, access!.fingerprint)
    assert.equal(new X509Certificate(row.certificatePem).subjectAltName, 'DNS:node2.engines.berth')
    assert.equal(testBerth.engine.specOf('berth-engine-node1'), null)
  })

  test('uses the port and the sources of the settings', async () => {
    await using testBerth = await startWithNode({
      BERTH_ENGINE_PORT: '998',
      BERTH_ENGINE_SOURCES: '10.0.0.0/8,fd00::/8',
    })
    await untilState(testBerth, 'reachable')
    assert.match(configurationOf(testBerth), /:998 ssl .*\n.*unless { src 10\.0\.0\.0\/8 fd00::\/8 }/)
    assert.deepEqual(testBerth.engine.specOf(name)!.capabilities, ['NET_BIND_SERVICE'])
  })

  test('repairs a port that someone else removed or changed', async () => {
    await using testBerth = await startWithNode()
    await untilState(testBerth, 'reachable')
    await testBerth.engine.removeService(name)
    await testBerth.until('the port to exist again', async () => testBerth.engine.specOf(name))
    testBerth.engine.alter(name, { user: null })
    await testBerth.until('the port to be repaired', async () => testBerth.engine.specOf(name)?.user ?? null)
    await untilState(testBerth, 'reachable')
  })

  test('removes the port of a node that left the swarm', async () => {
    await using testBerth = await startWithNode()
    await untilState(testBerth, 'reachable')
    testBerth.engine.takeNode('node2')
    await testBerth.until('the port to be removed', async () => ((await readEngine(testBerth)) ? null : true))
    assert.equal(testBerth.engine.specOf(name), null)
  })
}

function stateTests(): void {
  test('says that a node is drained or down, and returns to reachable', async () => {
    await using testBerth = await startWithNode()
    await untilState(testBerth, 'reachable')
    testBerth.engine.setNode('node2', { availability: 'drain' })
    await untilState(testBerth, 'unavailable', 'NodeDrained')
    testBerth.engine.setNode('node2', { availability: 'active' })
    await untilState(testBerth, 'reachable')
    testBerth.engine.setNode('node2', { state: 'down' })
    await untilState(testBerth, 'unavailable', 'NodeDown')
    testBerth.engine.setNode('node2', { state: 'ready' })
    await untilState(testBerth, 'reachable')
  })

  test('says why HAProxy does not run', async () => {
    await using testBerth = await startNodesBerth()
    testBerth.engine.behave(name, 'rejected:No such image: haproxy:3.0')
    testBerth.engine.addNode('node2', { hostname: 'second' })
    await untilState(testBerth, 'unreachable', 'ImageMissing')
    testBerth.engine.behave(name, 'crash:1')
    await untilState(testBerth, 'unreachable', 'PortTaken')
    testBerth.engine.behave(name, 'crash:7')
    testBerth.pass(200_000)
    await untilState(testBerth, 'unreachable', 'PortTaskFailed')
    testBerth.engine.behave(name, 'running')
    await untilState(testBerth, 'reachable')
  })

  test('says why HAProxy does not answer', async () => {
    await using testBerth = await startNodesBerth()
    testBerth.engine.setContact('node2', 'timeout')
    testBerth.engine.addNode('node2', { hostname: 'second', address: '192.0.2.20' })
    const { reason } = await untilState(testBerth, 'unreachable', 'PortUnreachable')
    assert.deepEqual(fromJson(reason), {
      ...{ reason: 'PortUnreachable', fault: 'timeout', source: '192.0.2.10', detail: 'the test says timeout' },
      ...{ node: 'second', address: '192.0.2.20', port: 2376 },
    })
    testBerth.engine.setContact('node2', null)
    await untilState(testBerth, 'reachable')
  })
}

function placementTests(): void {
  test('places a database on a node with more volumes rather than on one whose engine cannot be reached', async () => {
    await using testBerth = await startWithNode()
    await untilState(testBerth, 'reachable')
    const databaseClients = databaseClientsOf(testBerth, kinds[0]!)
    await databaseClients.createDeployed({ node: 'memory' })
    testBerth.engine.setContact('node2', 'timeout')
    await untilState(testBerth, 'unreachable')
    assert.equal((await databaseClients.createDeployed()).node, 'memory')
    const { engineState } = (await readNodes(testBerth)).find(({ id }) => id === 'node2')!
    assert.deepEqual([engineState!.state, engineState!.reasonCode], ['unreachable', 'PortUnreachable'])
    assert.match(engineState!.reason!, /Open TCP port 2376 of node second \(192\.0\.2\.20\)/)
  })

  test('an engine that cannot be reached is a condition after 30 seconds, a drained node is none', async () => {
    await using testBerth = await startWithNode()
    await untilState(testBerth, 'reachable')
    testBerth.engine.setContact('node2', 'refused')
    const { since } = await untilState(testBerth, 'unreachable')
    await afterTurn(testBerth)
    assert.deepEqual(await readConditions(testBerth), [])
    testBerth.pass(31_000)
    const { NodeEngineUnreachable: condition } = await untilPresent(testBerth, 'NodeEngineUnreachable')
    assert.deepEqual(
      [condition!.subjectKind, condition!.subjectName, condition!.severity, condition!.since],
      ['node', 'second', 'critical', since],
    )
    assert.match(condition!.reason, /refuses the connection\. Open TCP port 2376/)
    testBerth.engine.setNode('node2', { availability: 'drain' })
    await untilState(testBerth, 'unavailable')
    await untilPresent(testBerth)
  })

  test('no database gets the port of engines as its external port', async () => {
    await using testBerth = await startNodesBerth()
    const databaseClients = databaseClientsOf(testBerth, kinds[0]!)
    const database = await databaseClients.create()
    const input = { externalPort: 2376 }
    const { message } = await databaseClients.refused('CONFLICT', 'saveExternalPort', database, input, 'externalPort')
    assert.match(message, /2376 is the port to the engines of other nodes/)
  })
}

interface Rotation {
  deploymentId: string
  state: string
  reason: string | null
  fingerprint: string
}

const rotate = (testBerth: TestBerth, immediately = false) =>
  testBerth.ok<Rotation>('cluster.rotateEngineAccess', { immediately }, wait)

function rotationTests(): void {
  test('rotates the certificate: nodes accept both, Berth changes, nodes accept only the new one', async () => {
    await using testBerth = await startWithNode()
    const before = await untilState(testBerth, 'reachable')
    const sets = new Set<string>([before.fingerprints])
    const rotation = rotate(testBerth)
    let isEnded = false
    void rotation.finally(() => (isEnded = true))
    await testBerth.until('the end of the rotation', async () => {
      testBerth.pass(1000)
      sets.add((await readEngine(testBerth))!.fingerprints)
      return isEnded || null
    })
    const { state, fingerprint, reason } = await rotation
    assert.deepEqual([state, reason], ['done', null])
    assert.deepEqual([...sets], [before.fingerprints, [before.fingerprints, fingerprint].sort().join(','), fingerprint])
    const access = await readAccess(testBerth)
    assert.deepEqual(
      access.map((row) => [row.fingerprint, row.state]),
      [[fingerprint, 'current']],
    )
  })

  test('a rotation waits for the work on a node, a revocation does not', async () => {
    await using testBerth = await startWithNode()
    const before = await untilState(testBerth, 'reachable')
    const stop = new AbortController()
    testBerth.engine.onJob = async () => new Promise(() => {})
    const job = { name: 'work', recordId: 'x', image: 'i', argv: ['x'], env: {}, stdin: false, nodeId: 'node2' }
    await testBerth.engine.runJob(job, stop.signal)
    const { deploymentId } = await testBerth.ok<Rotation>('cluster.rotateEngineAccess')
    const waiting = await testBerth.until('the rotation to wait', async () => {
      const all = await testBerth.ok<(Rotation & { reasonCode: string | null })[]>('deployment.all')
      const deployment = all.find((each) => each.deploymentId === deploymentId)!
      return deployment.reasonCode === 'AccessPending' ? deployment : null
    })
    assert.match(waiting.reason!, /second/)
    assert.equal((await readEngine(testBerth))!.fingerprints, before.fingerprints)
    await testBerth.refused('CONFLICT', 'cluster.rotateEngineAccess', {})
    const revoking = rotate(testBerth, true)
    let isEnded = false
    void revoking.finally(() => (isEnded = true))
    await testBerth.until('the end of the revocation', async () => {
      testBerth.pass(1000)
      return isEnded || null
    })
    const { fingerprint, state } = await revoking
    assert.equal(state, 'done')
    assert.equal((await readEngine(testBerth))!.fingerprints, fingerprint)
    assert.doesNotMatch(configurationOf(testBerth), new RegExp(before.fingerprints))
    const ended = (await testBerth.ok<Rotation[]>('deployment.all')).find((each) => each.deploymentId === deploymentId)
    assert.equal(ended!.state, 'superseded')
    stop.abort()
  })

  test('a rotation goes on after a restart, and waits for a paused node', async () => {
    await using testBerth = await startWithNode()
    const before = await untilState(testBerth, 'reachable')
    testBerth.engine.setNode('node2', { availability: 'pause' })
    const { deploymentId } = await testBerth.ok<Rotation>('cluster.rotateEngineAccess')
    await testBerth.restart()
    const read = async () =>
      (await testBerth.ok<(Rotation & { reasonCode: string | null })[]>('deployment.all')).find(
        (each) => each.deploymentId === deploymentId,
      )!
    await testBerth.until('the rotation to wait', async () => ((await read()).reasonCode === null ? null : true))
    assert.deepEqual(
      [(await readEngine(testBerth))!.state, (await readEngine(testBerth))!.fingerprints],
      ['reachable', before.fingerprints],
    )
    testBerth.engine.setNode('node2', { availability: 'active' })
    await testBerth.until('the end of the rotation', async () => {
      testBerth.pass(1000)
      return (await read()).state === 'done' ? true : null
    })
    assert.notEqual((await readEngine(testBerth))!.fingerprints, before.fingerprints)
  })

  test('renews certificates before they expire, without a call', async () => {
    await using testBerth = await startWithNode()
    const before = await untilState(testBerth, 'reachable')
    testBerth.pass(310 * 24 * 3600_000)
    const after = await testBerth.until('new certificates', async () => {
      testBerth.pass(1000)
      const row = await readEngine(testBerth)
      const access = await readAccess(testBerth)
      const isRenewed = row!.certificatePem !== before.certificatePem && access.length === 1
      return isRenewed && row!.fingerprints === access[0]!.fingerprint ? row : null
    })
    assert.notEqual(after!.fingerprints, before.fingerprints)
  })

  test('replaces certificates that were issued while the clock was ahead', async () => {
    const aheadMs = 200 * 24 * 3600_000
    await using testBerth = await startNodesBerth()
    testBerth.pass(aheadMs)
    testBerth.engine.addNode('node2', { hostname: 'second' })
    const before = await untilState(testBerth, 'reachable')
    testBerth.pass(-aheadMs)
    await testBerth.until('valid certificates on both sides', async () => {
      testBerth.pass(1000)
      const access = await readAccess(testBerth)
      const pems = [(await readEngine(testBerth))!, ...access].map(({ certificatePem }) => certificatePem)
      const areValid = pems.every((pem) => new X509Certificate(pem).validFromDate <= testBerth.now())
      return (areValid && access.length === 1) || null
    })
    assert.notEqual((await untilState(testBerth, 'reachable')).fingerprints, before.fingerprints)
  })

  test('a revocation while a node is down ends, and names the node', async () => {
    await using testBerth = await startWithNode()
    await untilState(testBerth, 'reachable')
    testBerth.engine.setNode('node2', { state: 'down' })
    await untilState(testBerth, 'unavailable')
    const { state, reason } = await rotate(testBerth, true)
    assert.equal(state, 'done')
    assert.match(reason!, /second/)
  })
}
