/** Services and tasks of a fake API: the requests, and concurrent changes that no test can provoke in a real engine. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineFailure } from '../../../../test/engine/engine-failure.ts'
import { berthNetwork, engineOverFakeApi } from '../../../../test/engine/engine-over-fake-api.ts'
import { specOf } from '../../../../test/fixtures/samples.ts'
import { installationLabel } from '../../labels.ts'

const spec = specOf({ name: 'db' })
const service = (index: number, installationId = 'mine') => ({
  ID: 'id1',
  Version: { Index: index },
  CreatedAt: '2026-01-01T00:00:00Z',
  Spec: { Name: 'db', Labels: { [installationLabel]: installationId }, TaskTemplate: {} },
})
const outOfSequence: [status: number, body: unknown] = [
  500,
  { message: 'rpc error: code = Unknown desc = update out of sequence' },
]

test('reads the service again and retries after a concurrent update', async (t) => {
  let index = 10
  const { engine, requests } = await engineOverFakeApi(t, ({ path, query }) => {
    if (path === '/services') return [200, [service(++index)]]
    return query.version === '13' ? [200, {}] : outOfSequence
  })
  await engine.updateService(spec)
  assert.deepEqual(
    requests().flatMap(({ query }) => query.version ?? []),
    ['11', '12', '13'],
  )
})

test('throws the message of the engine when every retry meets a concurrent update', async (t) => {
  const { engine, requests } = await engineOverFakeApi(t, ({ path }) =>
    path === '/services' ? [200, [service(1)]] : outOfSequence,
  )
  await assert.rejects(engine.updateService(spec), engineFailure('failed', /out of sequence/))
  assert.ok(requests().length < 30)
})

test('neither changes nor removes a service of another installation', async (t) => {
  const { engine, paths } = await engineOverFakeApi(t, () => [200, [service(1, 'other')]])
  const isConflict = engineFailure('conflict', /does not belong to this Berth installation/)
  await assert.rejects(engine.updateService(spec), isConflict)
  await assert.rejects(engine.removeService('db'), isConflict)
  assert.deepEqual(paths(), ['GET /services', 'GET /services'])
})

test('ignores a service whose name only begins with the requested name', async (t) => {
  const longer = { ...service(1), Spec: { ...service(1).Spec, Name: 'db2' } }
  const { engine } = await engineOverFakeApi(t, () => [200, [longer]])
  assert.deepEqual(await engine.servicesNamed(['db']), [])
  await engine.removeService('db')
})

test('lists all services with their status in two calls', async (t) => {
  const { engine, requests } = await engineOverFakeApi(t, ({ path }) => {
    if (path === '/networks') return [200, [{ ...berthNetwork, Id: 'berth2', Name: 'berth2' }, berthNetwork]]
    const TaskTemplate = { Networks: [{ Target: berthNetwork.Id }] }
    return [
      200,
      [
        { ...service(1), Spec: { ...service(1).Spec, TaskTemplate } },
        { ...service(1), ID: 'id2' },
      ],
    ]
  })
  const services = await engine.services()
  assert.deepEqual(
    services.map(({ id, onNetwork }) => [id, onNetwork]),
    [
      ['id1', true],
      ['id2', false],
    ],
  )
  await engine.servicesNamed(['db'])
  assert.deepEqual(
    requests().map(({ path, query }) => [path, query.status]),
    [
      ['/services', 'true'],
      ['/networks', undefined],
      ['/services', undefined],
    ],
  )
})

test('creates a missing network and sends the request for the service again', async (t) => {
  let hasNetwork = false
  const { engine, paths } = await engineOverFakeApi(t, ({ method, path }) => {
    if (path === '/networks') return [200, []]
    if (method === 'POST' && path === '/networks/create') hasNetwork = true
    return path === '/services/create' && !hasNetwork ? [404, { message: 'network berth not found' }] : [201, {}]
  })
  await engine.createService(spec)
  assert.deepEqual(paths(), [
    'POST /services/create',
    'GET /networks',
    'POST /networks/create',
    'POST /services/create',
  ])
})

test('reads services and tasks again when a service is removed between the two requests', async (t) => {
  let failures = 2
  const { engine, paths } = await engineOverFakeApi(t, ({ path }) => {
    if (path === '/services') return [200, [service(1)]]
    return failures-- > 0 ? [404, { message: 'service id1 not found' }] : [200, []]
  })
  assert.deepEqual(await engine.tasks(['db']), [])
  assert.equal(paths().length, 6)
})

test('reads the tasks of services in one call, and the services again only if one was removed', async (t) => {
  let failures = 0
  const { engine, paths } = await engineOverFakeApi(t, ({ path }) => {
    if (path === '/services') return [200, [service(1)]]
    return failures-- > 0 ? [404, { message: 'service id1 not found' }] : [200, []]
  })
  const services = await engine.servicesNamed(['db'])
  assert.deepEqual([await engine.tasksOf(services), await engine.tasksOf([])], [[], []])
  failures = 1
  assert.deepEqual(await engine.tasksOf(services), [])
  assert.deepEqual(paths(), ['GET /services', 'GET /tasks', 'GET /tasks', 'GET /services', 'GET /tasks'])
})

test('lists the tasks of thousands of services in two calls', async (t) => {
  const { engine, requests } = await engineOverFakeApi(t, ({ path }) => [200, path === '/services' ? [service(1)] : []])
  await engine.tasks(Array.from({ length: 5000 }, (_, at) => `database-${at}`).concat('db'))
  await engine.tasks()
  assert.equal(requests().length, 4)
})
