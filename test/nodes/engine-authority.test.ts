/** Rotations of the authority `engines`, which the loop of the engine ports carries on, over the in-memory engine. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { generationsOf } from '../../src/authority/queries.ts'
import type { RotationStep } from '../../src/authority/rotation.ts'
import { authorityStep } from '../../src/nodes/engines/plan.ts'
import type { EngineState, NodeEngineTable } from '../../src/nodes/engines/table.ts'
import type { TestBerth } from '../fixtures/test-berth.ts'
import { startNodesBerth } from './cluster.ts'

const name = 'berth-engine-node2'
const certificatesOf = (text: string) => text.split('BEGIN CERTIFICATE').length - 1

const readEngine = ({ app }: TestBerth): Promise<NodeEngineTable | undefined> =>
  app.db.selectFrom('nodeEngine').selectAll().where('nodeId', '=', 'node2').executeTakeFirst()
const rotate = (testBerth: TestBerth) => testBerth.ok('installation.rotateAuthority', { authority: 'engines' })

/** The present step: `1 current, 2 next` and so on. */
const stepOf = async ({ app }: TestBerth) =>
  (await generationsOf(app.db, 'engines')).map(({ generation, state }) => `${generation} ${state}`).join(', ')

/** The number of authorities that the service of the port trusts. */
const trustedBy = ({ engine }: TestBerth) => certificatesOf(engine.specOf(name)!.files[1]!.content)

/** Waits until the condition holds. Moves the clock at each poll. */
const untilHolds = (testBerth: TestBerth, what: string, holds: () => Promise<boolean>) =>
  testBerth.until(what, async () => {
    testBerth.pass(1000)
    testBerth.app.wake('engines')
    return (await holds()) || null
  })

async function startWithNode(): Promise<TestBerth> {
  const testBerth = await startNodesBerth()
  testBerth.engine.addNode('node2', { hostname: 'second', address: '192.0.2.20' })
  await untilHolds(testBerth, 'the port', async () => (await readEngine(testBerth))?.state === 'reachable')
  return testBerth
}

describe('rotations of the authority of engine ports', { concurrency: true }, () => {
  test('ports trust both generations until all certificates are replaced', async () => {
    await using testBerth = await startWithNode()
    assert.equal(trustedBy(testBerth), 1)
    await rotate(testBerth)
    const steps = new Set<string>()
    await untilHolds(testBerth, 'the end of the rotation', async () => {
      const step = await stepOf(testBerth)
      // The next generation signs only after the port trusts it.
      if (step === '1 retiring, 2 current') assert.equal(trustedBy(testBerth), 2)
      steps.add(step)
      return step === '2 current'
    })
    assert.deepEqual(
      [...steps].filter((step) => step !== '1 current, 2 next'),
      ['1 retiring, 2 current', '2 current'],
    )
    const { generation } = (await readEngine(testBerth))!
    const access = await testBerth.app.db.selectFrom('engineAccess').selectAll().execute()
    assert.deepEqual([generation, access.map((each) => [each.generation, each.state])], [2, [[2, 'current']]])
    await untilHolds(testBerth, 'the end of the old trust', async () => trustedBy(testBerth) === 1)
  })

  test('a rotation goes on after a restart at each step', async () => {
    await using testBerth = await startWithNode()
    await rotate(testBerth)
    for (const step of ['1 current, 2 next', '1 retiring, 2 current']) {
      await untilHolds(testBerth, step, async () => [step, '2 current'].includes(await stepOf(testBerth)))
      await testBerth.restart()
    }
    await untilHolds(testBerth, 'the end of the rotation', async () => (await stepOf(testBerth)) === '2 current')
    await untilHolds(testBerth, 'the port', async () => (await readEngine(testBerth))?.state === 'reachable')
  })

  test('a rotation waits for the work on a node', async () => {
    await using testBerth = await startWithNode()
    const stop = new AbortController()
    testBerth.engine.onJob = async () => new Promise(() => {})
    const job = { name: 'work', recordId: 'x', image: 'i', argv: ['x'], env: {}, stdin: false, nodeId: 'node2' }
    await testBerth.engine.runJob(job, stop.signal)
    await rotate(testBerth)
    // When another port trusts the next generation, the loop has also compared this one.
    testBerth.engine.addNode('node3', { hostname: 'third', address: '192.0.2.30' })
    await untilHolds(testBerth, 'the port of the other node', async () => {
      const spec = testBerth.engine.specOf('berth-engine-node3')
      return spec !== null && certificatesOf(spec.files[1]!.content) === 2
    })
    assert.equal(await stepOf(testBerth), '1 current, 2 next')
    assert.equal(trustedBy(testBerth), 1)
    stop.abort()
    await testBerth.engine.removeJob('work', 'node2')
    await untilHolds(testBerth, 'the end of the rotation', async () => (await stepOf(testBerth)) === '2 current')
  })

  test('without other nodes, a rotation ends at once', async () => {
    await using testBerth = await startNodesBerth()
    await rotate(testBerth)
    await untilHolds(testBerth, 'the end of the rotation', async () => (await stepOf(testBerth)) === '2 current')
  })

  test('after the last node has left, a rotation replaces the certificate of Berth', async () => {
    await using testBerth = await startWithNode()
    testBerth.engine.takeNode('node2')
    await untilHolds(testBerth, 'the end of the port', async () => (await readEngine(testBerth)) === undefined)
    await rotate(testBerth)
    await untilHolds(testBerth, 'the end of the rotation', async () => (await stepOf(testBerth)) === '2 current')
    const access = await testBerth.app.db.selectFrom('engineAccess').select('generation').execute()
    assert.deepEqual(access, [{ generation: 2 }])
  })

  test('the next step follows from ports and certificates', () => {
    type Port = { state: EngineState; generation: number; isCurrent: boolean }
    const port = (changes: Partial<Port> = {}): Port => ({
      state: 'reachable',
      generation: 1,
      isCurrent: true,
      ...changes,
    })
    const cases: [step: RotationStep, access: number[], ports: Port[], expected: string][] = [
      ['distributing', [], [], 'switch'],
      ['distributing', [1], [port(), port({ state: 'unavailable' })], 'switch'],
      ['distributing', [1], [port(), port({ isCurrent: false })], 'wait'],
      ['distributing', [1], [port({ state: 'starting' })], 'wait'],
      ['replacing', [], [], 'finish'],
      ['replacing', [2], [port({ generation: 2 })], 'finish'],
      ['replacing', [1, 2], [port({ generation: 2 })], 'wait'],
      ['replacing', [2], [port({ generation: 2 }), port()], 'wait'],
      ['replacing', [2], [port({ generation: 2, isCurrent: false })], 'wait'],
    ]
    for (const [step, access, ports, expected] of cases) {
      const signing = step === 'distributing' ? 1 : 2
      const rows = access.map((generation) => ({ generation }))
      assert.equal(authorityStep(step, signing, rows, ports), expected, JSON.stringify([step, access, ports]))
    }
  })
})
