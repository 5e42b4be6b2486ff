/** GET /api/events: the messages, the filters, resuming, and the reset of a client whose position is unknown. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newestEvent, restartEvents } from '../../src/events/queries.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'
import { type EventStream, openStream } from './stream.ts'

const testBerth = await startTestBerth()
after(() => testBerth.close())
const url = await testBerth.listen()
const { app, admin, ok } = testBerth
const newest = () => newestEvent(app.db)

const createProject = async (name: string) => (await ok('project.create', { name })).projectId as string
const open = (query = '', lastEventId?: string) => openStream(url, admin, query, lastEventId)

/** Opens streams with invalid input. Returns the status and the code of the refusal. */
async function refusalOf(query: string, token: string | null, headers: Record<string, string> = {}) {
  const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(`${url}/api/events?${query}`, { headers: { ...authorization, ...headers } })
  return [response.status, ((await response.json()) as { code: string }).code]
}

test('begins with the position, and sends each change after it is committed', async () => {
  await using stream = await open('kind=project')
  assert.deepEqual(stream.messages[0], { id: String(await newest()), event: 'message', data: null })
  const projectId = await createProject('billing')
  const data = await stream.event('the project', ({ recordId }) => recordId === projectId)
  const { id, at, ...rest } = data!
  assert.ok(Number(id) > 0 && Math.abs(Date.now() - Date.parse(at as string)) < 60_000)
  const expected = { kind: 'project', recordId: projectId, change: 'created', projectId, record: { name: 'billing' } }
  assert.deepEqual(rest, expected)
  assert.equal(stream.messages.find((message) => message.data === data)!.id, id)
})

test('sends a change and a removal, and nothing for a refused call', async () => {
  await using stream = await open('kind=project')
  const projectId = await createProject('to change')
  await testBerth.refused('BAD_REQUEST', 'project.create', { name: '' }, 'name')
  await ok('project.update', { projectId, name: 'changed' })
  await ok('project.remove', { projectId })
  await stream.event('the removal', ({ change }) => change === 'removed')
  assert.deepEqual(
    stream.changes().map(({ recordId, change, record }) => [recordId, change, record]),
    [
      [projectId, 'created', { name: 'to change' }],
      [projectId, 'changed', { name: 'changed' }],
      [projectId, 'removed', { name: 'changed' }],
    ],
  )
})

test('sends the events of the requested kinds, project and record only', async () => {
  const [shop, other] = [await createProject('filters'), await createProject('other')]
  const start = String(await newest())
  const settings = { databaseName: 'o', databaseUser: 'o', databasePassword: 'a-good-password' }
  const create = async (name: string, projectId: string) =>
    (await ok('postgres.create', { name, appName: name, projectId, ...settings })).postgresId as string
  const [first, second] = [await create('filter-one', shop), await create('filter-two', other)]
  const last = await newest()
  const idsFor = async (query: string) => {
    await using stream = await open(query, start)
    await testBerth.until('the last position', async () => Number(stream.position()) >= last || null)
    return stream.changes().map(({ recordId }) => recordId)
  }
  assert.deepEqual(await idsFor('kind=database'), [first, second])
  assert.deepEqual(await idsFor('kind=database,project'), [first, second])
  assert.deepEqual(await idsFor(`projectId=${shop}`), [first])
  assert.deepEqual(await idsFor(`id=${second}`), [second])
  assert.deepEqual(await idsFor(`kind=database&projectId=${other}&id=${second}`), [second])
})

test('sends an event to both projects when a database moves, and to its last project when it is removed', async () => {
  const [from, to] = [await createProject('from'), await createProject('to')]
  await using ofFrom = await open(`kind=database&projectId=${from}`)
  await using ofTo = await open(`kind=database&projectId=${to}`)
  const settings = { databaseName: 'o', databaseUser: 'o', databasePassword: 'a-good-password' }
  const { postgresId } = await ok('postgres.create', {
    name: 'moving',
    appName: 'moving',
    projectId: from,
    ...settings,
  })
  await ok('postgres.update', { postgresId, projectId: to })
  await ok('postgres.remove', { postgresId }, { prefer: 'wait=30' })
  await ofTo.event('the removal', ({ change }) => change === 'removed')
  const projectsOf = ({ changes }: EventStream) =>
    changes().map(({ change, recordId, record }) => {
      assert.equal(recordId, postgresId)
      return `${change} ${(record as { projectId: string | null }).projectId}`
    })
  assert.deepEqual(projectsOf(ofFrom), [`created ${from}`, `changed ${to}`])
  assert.deepEqual(projectsOf(ofTo).slice(0, 1), [`changed ${to}`])
  assert.ok(ofTo.changes().every(({ projectId }) => projectId === to))
})

test('gives the position also if the filter leaves out all events', async () => {
  const start = await newest()
  await createProject('left out')
  await using stream = await open('kind=certificate', String(start))
  assert.deepEqual(stream.messages[0], { id: String(await newest()), event: 'message', data: null })
})

test('resumes after the id in the header or in the query, without a gap and without repeats', async () => {
  const start = String(await newest())
  for (let index = 0; index < 250; index++) await createProject(`resumed ${index}`)
  for (const [query, header] of [
    ['kind=project', start],
    [`kind=project&lastEventId=${start}`, undefined],
    [`kind=project&lastEventId=${start}`, ''],
  ] as const) {
    await using stream = await open(query, header)
    await stream.event('the last project', ({ record }) => (record as { name: string }).name === 'resumed 249')
    const ids = stream.changes().map(({ id }) => Number(id))
    assert.deepEqual(
      ids,
      Array.from({ length: 250 }, (_, index) => Number(start) + 1 + index),
    )
  }
})

test('refuses invalid input and callers without access', async () => {
  assert.deepEqual(await refusalOf('kind=nothing', admin), [400, 'BAD_REQUEST'])
  assert.deepEqual(await refusalOf('lastEventId=x', admin), [400, 'BAD_REQUEST'])
  assert.deepEqual(await refusalOf('', admin, { 'last-event-id': '-1' }), [400, 'BAD_REQUEST'])
  assert.deepEqual(await refusalOf('lastEventId=x', admin, { 'last-event-id': '' }), [400, 'BAD_REQUEST'])
  assert.deepEqual(await refusalOf('lastEventId=x', admin, { 'last-event-id': '1' }), [400, 'BAD_REQUEST'])
  assert.deepEqual(await refusalOf('id=1&id=2', admin), [400, 'BAD_REQUEST'])
  assert.deepEqual(await refusalOf('', null), [401, 'UNAUTHORIZED'])
  assert.deepEqual(await refusalOf('', 'berth_sess_unknown'), [401, 'UNAUTHORIZED'])
})

test('resets a client whose id is from the future', async () => {
  const last = await newest()
  await using stream = await open('', '999999999999999')
  assert.deepEqual(stream.messages[0], { id: String(last), event: 'reset', data: { id: String(last) } })
  const projectId = await createProject('after the reset')
  await stream.event('the project', ({ recordId }) => recordId === projectId)
})

test('resets a client whose next event was deleted, and no other client', async () => {
  const start = await newest()
  const projectIds = [await createProject('deleted'), await createProject('kept')]
  await app.transact((tx) =>
    tx
      .deleteFrom('event')
      .where('seq', '<=', start + 1)
      .execute(),
  )
  await using late = await open('', String(start))
  assert.equal(late.messages[0]!.event, 'reset')
  await using inTime = await open('kind=project', String(start + 1))
  await inTime.event('the kept event', ({ recordId }) => recordId === projectIds[1])
  assert.ok(inTime.messages.every(({ event }) => event === 'message'))
})

test('resets all clients after a restore of the state, also before the first new event', async () => {
  const before = await newest()
  await app.transact((tx) => restartEvents(tx, new Date()))
  const restored = await newest()
  assert.ok(restored > before)
  await using stream = await open('', String(before))
  assert.deepEqual(stream.messages[0], { id: String(restored), event: 'reset', data: { id: String(restored) } })
  const projectId = await createProject('restored')
  await stream.event('the project', ({ recordId }) => recordId === projectId)
  await using resumed = await open('', String(restored))
  await resumed.event('the project', ({ recordId }) => recordId === projectId)
  assert.ok(resumed.messages.every(({ event }) => event === 'message'))
})

test('counts streams in the metrics', async () => {
  const figureOf = async (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(await app.metrics())?.[1])
  const ended = 'berth_event_streams_ended_total{reason="client"}'.replaceAll(/[{}]/g, '\\$&')
  const before = await figureOf(ended)
  {
    await using _ = await open()
    assert.ok((await figureOf('berth_event_streams')) >= 1)
  }
  assert.equal(await figureOf('berth_event_last_id'), await newest())
  await testBerth.until('the end of the stream', async () => (await figureOf(ended)) > before || null)
})
