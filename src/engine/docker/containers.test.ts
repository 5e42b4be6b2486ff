/** Containers of a fake API, on nodes and in states that a test cannot provoke in a real engine. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineFailure } from '../../../test/engine/engine-failure.ts'
import { engineOverFakeApi, swarmInfo } from '../../../test/engine/engine-over-fake-api.ts'
import type { FoundTask } from '../engine.ts'

const task = {
  id: 't',
  serviceName: 'db',
  state: 'running',
  desired: 'running',
  failure: null,
  exitCode: 3,
  containerId: 'c',
  nodeId: 'other',
  address: null,
  digest: null,
  createdAt: '',
  updatedAt: '',
} as const

test('refuses calls on a node that is not in the swarm', async (t) => {
  const { engine } = await engineOverFakeApi(t, ({ path }) =>
    path === '/info' ? swarmInfo('active', true) : [404, { message: 'No such container: c' }],
  )
  const run = (on: FoundTask) => engine.run(on, { argv: ['x'], env: {} }, 1000)
  const isNodeMissing = engineFailure('nodeMissing', /Node other is not in the swarm/)
  await assert.rejects(engine.stats(task), isNodeMissing)
  await assert.rejects(run({ ...task, nodeId: 'n' }), engineFailure('missing', /No such/))
  await assert.rejects(run({ ...task, containerId: null }), engineFailure('conflict', /no container/))
  await assert.rejects(engine.removeVolume('v', 'other'), isNodeMissing)
  assert.deepEqual(await engine.exitReport(task), { exitCode: 3, outOfMemory: false, lastLines: [] })
})

test('reports an exit without lines if the node does not answer, and does not ask the swarm for the log', async (t) => {
  const { engine, paths } = await engineOverFakeApi(t, ({ path }) => {
    if (path === '/info') return swarmInfo('active', true)
    if (path !== '/nodes/other') return undefined
    const Status = { State: 'ready', Addr: '192.0.2.2' }
    return [200, { ID: 'other', Description: { Hostname: 'two' }, Spec: { Availability: 'active' }, Status }]
  })
  assert.deepEqual(await engine.exitReport(task), { exitCode: 3, outOfMemory: false, lastLines: [] })
  assert.deepEqual(paths(), ['GET /info', 'GET /nodes/other'])
})

test('counts a container that is about to be created as live, on any node', async (t) => {
  const task = (ID: string, NodeID: string | undefined, State: string) => ({ ID, NodeID, Status: { State } })
  const { engine } = await engineOverFakeApi(t, ({ path }) => {
    if (path === '/info') return [200, { Swarm: { NodeID: 'local' } }]
    if (path === '/containers/json') {
      return [
        200,
        [
          { Names: ['/db.1.ended'], State: 'exited' },
          { Names: ['/db.1.failed'], State: 'created' },
          { Names: ['/db.1.starting'], State: 'created' },
        ],
      ]
    }
    return [
      200,
      [
        task('ended', 'local', 'running'),
        task('removed', 'local', 'running'),
        task('failed', 'local', 'failed'),
        task('starting', 'local', 'starting'),
        task('preparing', 'local', 'preparing'),
        task('new', undefined, 'pending'),
        task('remote', 'other', 'running'),
      ],
    ]
  })
  assert.deepEqual(await engine.liveContainers('db'), ['db.1.starting', 'db.1.preparing', 'db.1.new', 'db.1.remote'])
})
