/** The operations on projects: create, one, all, update and remove. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { type Database, databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Failure, type ProjectBody, startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!
const none = Object.fromEntries(kinds.map(({ name }) => [name, []]))
const servicesIn = (project: ProjectBody) => project[kind.name] as Database[]

test('create, one and all return the same record of a new project', async () => {
  await using testBerth = await startTestBerth()
  const created = await testBerth.ok<ProjectBody>('project.create', { name: 'web', description: 'all of it' })
  const { projectId, createdAt, ...rest } = created
  assert.deepEqual(rest, { name: 'web', description: 'all of it', allowedSources: [], role: 'owner', ...none })
  assert.equal(new Date(createdAt).toISOString(), createdAt)
  assert.deepEqual(await testBerth.ok('project.one', { projectId }), created)
  assert.deepEqual((await testBerth.ok<ProjectBody[]>('project.all')).at(-1), created)
})

test('lists projects oldest first, with ids that sort by creation time', async () => {
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

test('returns an empty list without projects', async () => {
  await using testBerth = await startTestBerth()
  await testBerth.ok('project.remove', { projectId: testBerth.projectId })
  assert.deepEqual(await testBerth.ok('project.all'), [])
})

test('stores names and descriptions unchanged, also with special characters of other languages', async () => {
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

test('refuses invalid input with the name of the field, and writes nothing', async () => {
  await using testBerth = await startTestBerth()
  const { projectId } = testBerth
  const invalidNames = ['', 'x'.repeat(256), 'a\nb', 'a\u0000', '\u007f', '\u0085', 5, null, ['a'], undefined]
  for (const name of invalidNames) {
    await testBerth.refused('BAD_REQUEST', 'project.create', { name }, 'name')
    await testBerth.refused('BAD_REQUEST', 'project.update', { projectId, name }, 'name')
  }
  for (const description of ['x'.repeat(2001), 'a\u0000', 5, {}, false]) {
    await testBerth.refused('BAD_REQUEST', 'project.create', { name: 'a', description }, 'description')
    await testBerth.refused('BAD_REQUEST', 'project.update', { projectId, name: 'a', description }, 'description')
  }
  for (const invalidId of ['', undefined]) {
    await testBerth.refused('BAD_REQUEST', 'project.remove', { projectId: invalidId }, 'projectId')
    await testBerth.refused('BAD_REQUEST', 'project.update', { projectId: invalidId, name: 'a' }, 'projectId')
  }
  await testBerth.refused('BAD_REQUEST', 'project.one', { projectId: '' }, 'projectId')
  await testBerth.refused('BAD_REQUEST', 'project.one', {}, 'projectId')
  await testBerth.refused('BAD_REQUEST', 'project.remove', { projectId, cascade: 'yes' }, 'cascade')
})

test('reports all invalid fields at once', async () => {
  await using testBerth = await startTestBerth()
  const { body } = await testBerth.call<Failure>('project.create', { name: '', description: 7 })
  assert.deepEqual(
    body.issues.map(({ path }) => path),
    ['name', 'description'],
  )
})

test('refuses an unknown id with NOT_FOUND, and writes nothing', async () => {
  await using testBerth = await startTestBerth()
  const database = await databaseClientsOf(testBerth, kind).create()
  for (const projectId of ['nobody', databaseClientsOf(testBerth, kind).idOf(database), "' or 1=1 --"]) {
    await testBerth.refused('NOT_FOUND', 'project.one', { projectId })
    await testBerth.refused('NOT_FOUND', 'project.update', { projectId, name: 'a' })
    await testBerth.refused('NOT_FOUND', 'project.remove', { projectId })
    await testBerth.refused('NOT_FOUND', 'project.remove', { projectId, cascade: true })
  }
})

test('updates a project: keeps fields that are left out, clears null, and answers the new record', async () => {
  await using testBerth = await startTestBerth()
  const created = await testBerth.ok<ProjectBody>('project.create', { name: 'web', description: 'all of it' })
  const { projectId } = created
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
  for (const [changes, expected] of steps) {
    const updated = await testBerth.ok('project.update', { projectId, ...changes })
    assert.deepEqual(updated, { ...created, ...expected })
    assert.deepEqual(await testBerth.ok('project.one', { projectId }), updated)
  }
})

test('accepts the record of project.one as input of an update, and lists the ignored fields in a header', async () => {
  await using testBerth = await startTestBerth()
  await databaseClientsOf(testBerth, kind).create()
  const record = await testBerth.ok<ProjectBody>('project.one', { projectId: testBerth.projectId })
  const before = await testBerth.everything()
  const { status, body, headers } = await testBerth.call('project.update', record)
  assert.deepEqual([status, body], [200, record])
  assert.deepEqual(await testBerth.everything(), before)
  const ignored = ['createdAt', 'role', ...kinds.map(({ name }) => name)]
  assert.deepEqual(headers['berth-ignored-fields']?.split(', ').toSorted(), ignored.toSorted())
})

test('sends no header of ignored fields if no field is ignored', async () => {
  await using testBerth = await startTestBerth()
  assert.equal((await testBerth.call('project.create', { name: 'a' })).headers['berth-ignored-fields'], undefined)
})

test('returns the services of a project, oldest first and with masked passwords', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const other = await testBerth.ok<ProjectBody>('project.create', { name: 'other' })
  const [a, b] = [await databaseClients.create({ name: 'a' }), await databaseClients.create({ name: 'b' })]
  const c = await databaseClients.create({ name: 'c', projectId: other.projectId })
  const [first, second] = await testBerth.ok<ProjectBody[]>('project.all')
  assert.deepEqual(
    [servicesIn(first!), servicesIn(second!)].map((services) => services.map(databaseClients.idOf)),
    [[a, b].map(databaseClients.idOf), [databaseClients.idOf(c)]],
  )
  for (const project of [first!, second!]) {
    assert.deepEqual(await testBerth.ok('project.one', { projectId: project.projectId }), project)
    for (const service of servicesIn(project))
      for (const secret of kind.secrets) assert.equal(service[secret], '********')
  }
})

test('removes a project, and answers its last record', async () => {
  await using testBerth = await startTestBerth()
  const created = await testBerth.ok<ProjectBody>('project.create', { name: 'web', description: 'all of it' })
  const { projectId } = created
  assert.deepEqual(await testBerth.ok('project.remove', { projectId }), created)
  for (const name of ['project.one', 'project.remove']) await testBerth.refused('NOT_FOUND', name, { projectId })
  assert.deepEqual(
    (await testBerth.ok<ProjectBody[]>('project.all')).map(({ name }) => name),
    ['shop'],
  )
})

test('refuses to remove a project with services, names the services, and removes nothing', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const names = [(await databaseClients.createDeployed()).appName, (await databaseClients.create()).appName]
  for (const more of [{}, { cascade: false }]) {
    const { message } = await testBerth.refused('CONFLICT', 'project.remove', {
      projectId: testBerth.projectId,
      ...more,
    })
    for (const name of names) assert.ok(message.includes(name), message)
  }
})

test('removes the services of a project with cascade, and keeps their volumes', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const [up, idle] = [await databaseClients.createDeployed(), await databaseClients.create()]
  const other = await databaseClients.createDeployed({
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

test('removes a project during the removal of its last service, also without the engine', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed()
  testBerth.engine.setDown(true)
  await databaseClients.ok('remove', database)
  await testBerth.ok('project.remove', { projectId: testBerth.projectId })
  await testBerth.refused('NOT_FOUND', 'project.one', { projectId: testBerth.projectId })
})

test('allows a user to call every operation on projects', async () => {
  await using testBerth = await startTestBerth()
  const { projectId } = await testBerth.ok<ProjectBody>('project.create', { name: 'mine' }, {}, testBerth.user)
  for (const name of ['one', 'update', 'all', 'remove']) {
    await testBerth.ok(`project.${name}`, { projectId, name: 'mine' }, {}, testBerth.user)
  }
})
