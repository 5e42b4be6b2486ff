/** The five operations of projects with all their outcomes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { type Database, databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Failure, type ProjectBody, startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!
const none = Object.fromEntries(kinds.map(({ name }) => [name, []]))
const servicesIn = (project: ProjectBody) => project[kind.name] as Database[]

test('create answers the new record, and one and all give the same', async () => {
  await using testBerth = await startTestBerth()
  const made = await testBerth.ok<ProjectBody>('project.create', { name: 'web', description: 'all of it' })
  const { projectId, createdAt, ...rest } = made
  assert.deepEqual(rest, { name: 'web', description: 'all of it', ...none })
  assert.equal(new Date(createdAt).toISOString(), createdAt)
  assert.deepEqual(await testBerth.ok('project.one', { projectId }), made)
  assert.deepEqual((await testBerth.ok<ProjectBody[]>('project.all')).at(-1), made)
})

test('ids sort by creation time, and all lists the oldest first', async () => {
  await using testBerth = await startTestBerth()
  for (const name of ['c', 'a', 'b']) await testBerth.ok('project.create', { name })
  const all = await testBerth.ok<ProjectBody[]>('project.all')
  assert.deepEqual(
    all.map(({ name }) => name),
    ['shop', 'c', 'a', 'b'],
  )
  assert.deepEqual(
    all.map(({ projectId }) => projectId).toSorted(),
    all.map(({ projectId }) => projectId),
  )
  assert.deepEqual(
    all.map(({ createdAt }) => createdAt).toSorted(),
    all.map(({ createdAt }) => createdAt),
  )
})

test('without projects all is an empty list', async () => {
  await using testBerth = await startTestBerth()
  await testBerth.ok('project.remove', { projectId: testBerth.projectId })
  assert.deepEqual(await testBerth.ok('project.all'), [])
})

test('a name or a description is kept letter by letter, whatever it means elsewhere', async () => {
  await using testBerth = await startTestBerth()
  const texts = [
    '\'; drop table "project"; --',
    '$(reboot) `reboot` \\',
    '<script>',
    ' Ünï çødé 数据库 🐘 ',
    '%',
    'x'.repeat(255),
  ]
  for (const name of texts) {
    const { projectId } = await testBerth.ok<ProjectBody>('project.create', { name, description: `${name}\n\t${name}` })
    const one = await testBerth.ok<ProjectBody>('project.one', { projectId })
    assert.deepEqual([one.name, one.description], [name, `${name}\n\t${name}`])
  }
})

test('wrong input is refused, names the field, and writes nothing', async () => {
  await using testBerth = await startTestBerth()
  const { projectId } = testBerth
  const wrongNames = ['', 'x'.repeat(256), 'a\nb', 'a\u0000', '\u007f', '\u0085', 5, null, ['a'], undefined]
  for (const name of wrongNames) {
    await testBerth.refused('BAD_REQUEST', 'project.create', { name }, 'name')
    await testBerth.refused('BAD_REQUEST', 'project.update', { projectId, name }, 'name')
  }
  for (const description of ['x'.repeat(2001), 'a\u0000', 5, {}, false]) {
    await testBerth.refused('BAD_REQUEST', 'project.create', { name: 'a', description }, 'description')
    await testBerth.refused('BAD_REQUEST', 'project.update', { projectId, name: 'a', description }, 'description')
  }
  for (const wrong of ['', undefined]) {
    await testBerth.refused('BAD_REQUEST', 'project.remove', { projectId: wrong }, 'projectId')
    await testBerth.refused('BAD_REQUEST', 'project.update', { projectId: wrong, name: 'a' }, 'projectId')
  }
  await testBerth.refused('BAD_REQUEST', 'project.one', { projectId: '' }, 'projectId')
  await testBerth.refused('BAD_REQUEST', 'project.one', {}, 'projectId')
  await testBerth.refused('BAD_REQUEST', 'project.remove', { projectId, cascade: 'yes' }, 'cascade')
})

test('several faults are named at once', async () => {
  await using testBerth = await startTestBerth()
  const { body } = await testBerth.call<Failure>('project.create', { name: '', description: 7 })
  assert.deepEqual(
    body.issues.map(({ path }) => path),
    ['name', 'description'],
  )
})

test('an unknown id is not found, and writes nothing', async () => {
  await using testBerth = await startTestBerth()
  const database = await databaseClientsOf(testBerth, kind).create()
  for (const projectId of ['nobody', databaseClientsOf(testBerth, kind).idOf(database), "' or 1=1 --"]) {
    await testBerth.refused('NOT_FOUND', 'project.one', { projectId })
    await testBerth.refused('NOT_FOUND', 'project.update', { projectId, name: 'a' })
    await testBerth.refused('NOT_FOUND', 'project.remove', { projectId })
    await testBerth.refused('NOT_FOUND', 'project.remove', { projectId, cascade: true })
  }
})

test('update: what is left out stays, null clears, and the answer is the record as it is then', async () => {
  await using testBerth = await startTestBerth()
  const made = await testBerth.ok<ProjectBody>('project.create', { name: 'web', description: 'all of it' })
  const { projectId } = made
  const steps: [object, object][] = [
    [{ name: 'net' }, { name: 'net', description: 'all of it' }],
    [
      { name: 'net', description: 'most' },
      { name: 'net', description: 'most' },
    ],
    [
      { name: 'net', description: '' },
      { name: 'net', description: '' },
    ],
    [
      { name: 'net', description: null },
      { name: 'net', description: null },
    ],
    [{ name: 'web' }, { name: 'web', description: null }],
  ]
  for (const [given, wanted] of steps) {
    const answer = await testBerth.ok('project.update', { projectId, ...given })
    assert.deepEqual(answer, { ...made, ...wanted })
    assert.deepEqual(await testBerth.ok('project.one', { projectId }), answer)
  }
})

test('a record that one gave can be sent back: no change, and the header names what was ignored', async () => {
  await using testBerth = await startTestBerth()
  await databaseClientsOf(testBerth, kind).create()
  const record = await testBerth.ok<ProjectBody>('project.one', { projectId: testBerth.projectId })
  const before = await testBerth.everything()
  const { status, body, headers } = await testBerth.call('project.update', record)
  assert.deepEqual([status, body], [200, record])
  assert.deepEqual(await testBerth.everything(), before)
  const ignored = ['createdAt', ...kinds.map(({ name }) => name)]
  assert.deepEqual(headers['berth-ignored-fields']?.split(', ').toSorted(), ignored.toSorted())
})

test('without ignored fields there is no such header', async () => {
  await using testBerth = await startTestBerth()
  assert.equal((await testBerth.call('project.create', { name: 'a' })).headers['berth-ignored-fields'], undefined)
})

test('one and all carry the services of the project, the oldest first, their passwords masked', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const other = await testBerth.ok<ProjectBody>('project.create', { name: 'other' })
  const [a, b] = [await databaseClients.create({ name: 'a' }), await databaseClients.create({ name: 'b' })]
  const c = await databaseClients.create({ name: 'c', projectId: other.projectId })
  const [first, second] = await testBerth.ok<ProjectBody[]>('project.all')
  assert.deepEqual(
    [servicesIn(first!), servicesIn(second!)].map((them) => them.map(databaseClients.idOf)),
    [[a, b].map(databaseClients.idOf), [databaseClients.idOf(c)]],
  )
  for (const project of [first!, second!]) {
    assert.deepEqual(await testBerth.ok('project.one', { projectId: project.projectId }), project)
    for (const service of servicesIn(project))
      for (const secret of kind.secrets) assert.equal(service[secret], '********')
  }
})

test('remove answers the record as it was, and then it is gone', async () => {
  await using testBerth = await startTestBerth()
  const made = await testBerth.ok<ProjectBody>('project.create', { name: 'web', description: 'all of it' })
  const { projectId } = made
  assert.deepEqual(await testBerth.ok('project.remove', { projectId }), made)
  for (const name of ['project.one', 'project.remove']) await testBerth.refused('NOT_FOUND', name, { projectId })
  assert.deepEqual(
    (await testBerth.ok<ProjectBody[]>('project.all')).map(({ name }) => name),
    ['shop'],
  )
})

test('remove of a project with services is refused, names them, and removes nothing', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const names = [(await databaseClients.up()).appName, (await databaseClients.create()).appName]
  for (const more of [{}, { cascade: false }]) {
    const { message } = await testBerth.refused('CONFLICT', 'project.remove', {
      projectId: testBerth.projectId,
      ...more,
    })
    for (const name of names) assert.ok(message.includes(name), message)
  }
})

test('remove with cascade removes the services first and keeps their volumes', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const [up, idle] = [await databaseClients.up(), await databaseClients.create()]
  const other = await databaseClients.up({
    projectId: (await testBerth.ok<ProjectBody>('project.create', { name: 'other' })).projectId,
  })
  const before = await testBerth.ok<ProjectBody>('project.one', { projectId: testBerth.projectId })
  const { status, body, headers } = await testBerth.call(
    'project.remove',
    { projectId: testBerth.projectId, cascade: true },
    wait,
  )
  assert.deepEqual([status, body], [200, before])
  assert.equal(headers['preference-applied'], wait.prefer)
  for (const database of [up, idle]) await databaseClients.refused('NOT_FOUND', 'one', database)
  await testBerth.refused('NOT_FOUND', 'project.one', { projectId: testBerth.projectId })
  assert.deepEqual(
    (await testBerth.engine.services()).map(({ name }) => name),
    [other.appName],
  )
  const volumes = await testBerth.ok<{ name: string; state: string }[]>('volume.all')
  assert.deepEqual(
    volumes.map(({ name, state }) => [name, state]),
    [
      [up.volume, 'kept'],
      [other.volume, 'attached'],
    ],
  )
  assert.equal((await databaseClients.one(other)).applicationStatus, 'done')
})

test('a project whose last service is being removed can be removed, without the engine too', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.up()
  testBerth.engine.setDown(true)
  await databaseClients.act('remove', database)
  await testBerth.ok('project.remove', { projectId: testBerth.projectId })
  await testBerth.refused('NOT_FOUND', 'project.one', { projectId: testBerth.projectId })
})

test('a user may do all of it', async () => {
  await using testBerth = await startTestBerth()
  const { projectId } = await testBerth.ok<ProjectBody>('project.create', { name: 'mine' }, {}, testBerth.user)
  for (const name of ['one', 'update', 'all', 'remove']) {
    await testBerth.ok(`project.${name}`, { projectId, name: 'mine' }, {}, testBerth.user)
  }
})
