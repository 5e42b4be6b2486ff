/** Rotations and a revocation of the certificates between Berth and the engine of another node, with real engines. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { generationsOf } from '../../src/authority/queries.ts'
import { until } from '../engine/until.ts'
import { type EnginePort, enginePortOf } from '../e2e/engine-port.ts'
import { type MultiNodeBerth, startMultiNodeBerth } from '../e2e/multi-node-berth.ts'

const waitHeader = { prefer: 'wait=60' }
const images = ['haproxy:3.0']
let runtime: MultiNodeBerth
let nodeId: string
let enginePort: EnginePort

before(async () => {
  runtime = await startMultiNodeBerth(2, { managerImages: images, workerImages: images })
  nodeId = (await runtime.engine.nodes()).find(({ local }) => !local)!.id
  enginePort = enginePortOf(runtime, nodeId)
  await enginePort.untilReachable()
})

after(() => runtime[Symbol.asyncDispose]())

interface Rotation {
  state: string
  fingerprint: string
}

const rotate = (input: Record<string, unknown>) =>
  runtime.berth.call<Rotation>('cluster.rotateEngineAccess', input, undefined, waitHeader)

test('after a rotation, and after a revocation, only the new certificate gets an answer', async () => {
  for (const immediately of [false, true]) {
    const { certificate, key } = await enginePort.connection()
    const { status, body } = await rotate({ immediately })
    assert.deepEqual([status, body.state], [200, 'done'])
    assert.equal(await enginePort.infoWith({}), nodeId)
    assert.equal(await enginePort.infoWith({ certificate, key }), 'ECONNRESET')
    assert.equal((await enginePort.read())!.fingerprints, body.fingerprint)
  }
})

test('a rotation of the authority keeps the engine reachable, and replaces all certificates', async () => {
  const { db } = runtime.berth.app
  const before = await enginePort.connection()
  const { status } = await runtime.berth.call('installation.rotateAuthority', { authority: 'engines' })
  assert.equal(status, 200)
  await until(
    'the end of the rotation',
    async () => {
      const generations = await generationsOf(db, 'engines')
      return generations.length === 1 && generations[0]!.generation === 2
    },
    120_000,
  )
  // The port changes once more, to end its own trust in the first generation.
  await until('the engine to answer', async () => (await enginePort.infoWith({})) === nodeId, 60_000)
  assert.notEqual(await enginePort.infoWith({ ca: before.ca }), nodeId)
  assert.equal((await enginePort.read())!.generation, 2)
  assert.equal(await enginePort.infoWith({ certificate: before.certificate, key: before.key }), 'ECONNRESET')
})
