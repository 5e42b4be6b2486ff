/** database.all and database.find: databases of all kinds by name and by what is known about them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Input, type ProjectBody, startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'

interface Summary {
  databaseId: string
  databaseType: string
  name: string
  appName: string
  projectId: string
  projectName: string
  applicationStatus: string
  statusCode: string | null
  pendingChanges: boolean
  externalPort: number | null
  node: string | null
}

let testBerth: TestBerth
let otherProject: string
let deployed: { appName: string; id: string }

before(async () => {
  testBerth = await startTestBerth()
  otherProject = (await testBerth.ok<ProjectBody>('project.create', { name: 'blog' })).projectId
  for (const kind of kinds) {
    await databaseClientsOf(testBerth, kind).create({ name: `${kind.name} one`, appName: `${kind.name}-one` })
  }
  const postgres = databaseClientsOf(testBerth, kinds.find(({ name }) => name === 'postgres')!)
  const database = await postgres.createDeployed({ name: 'Orders', appName: 'orders', projectId: otherProject })
  deployed = { appName: database.appName, id: database.postgresId as string }
  for (const appName of ['twin-a', 'twin-b']) await postgres.create({ name: 'twin', appName })
})
after(() => testBerth.close())

const all = (input: Input = {}, as?: string) => testBerth.ok<Summary[]>('database.all', input, {}, as)
const appNames = async (input: Input) => (await all(input)).map(({ appName }) => appName)
const ones = kinds.map(({ name }) => `${name}-one`)
const everything = [...ones, 'orders', 'twin-a', 'twin-b']

const lists: [title: string, input: () => Input, expected: string[]][] = [
  ['all kinds, oldest first', () => ({}), everything],
  ['all kinds, newest first', () => ({ order: 'desc' }), everything.toReversed()],
  ['those of a kind', () => ({ kind: 'mysql' }), ['mysql-one']],
  ['those with a status', () => ({ status: 'done' }), ['orders']],
  ['those of a project', () => ({ projectId: otherProject }), ['orders']],
  ['those with a text in the name, in any case', () => ({ search: 'ORDER' }), ['orders']],
  ['those with a text in the appName', () => ({ search: 'go-one' }), ['mongo-one']],
  ['none for a pattern of SQL', () => ({ search: '%' }), []],
  ['none on a node without data', () => ({ node: 'nowhere' }), []],
  ['those that match all filters', () => ({ kind: 'postgres', search: 'twin', order: 'desc' }), ['twin-b', 'twin-a']],
]
for (const [title, input, expected] of lists) {
  test(`lists ${title}`, async () => assert.deepEqual(await appNames(input()), expected))
}

test('a record tells what a table of databases shows', async () => {
  const [record] = await all({ search: 'orders' })
  const { databaseId, databaseType, name, projectName, applicationStatus, statusCode, pendingChanges } = record!
  assert.deepEqual(
    [databaseId, databaseType, name, projectName, applicationStatus, statusCode, pendingChanges],
    [deployed.id, 'postgres', 'Orders', 'blog', 'done', null, false],
  )
  assert.deepEqual(await appNames({ node: record!.node! }), ['orders'])
})

test('no record contains a password', async () => {
  assert.doesNotMatch(JSON.stringify(await all()), /password|a databasePassword/i)
})

test('pages in both orders contain each record once', async () => {
  for (const order of ['asc', 'desc']) {
    const read: string[] = []
    for (let cursor: string | undefined; ; ) {
      const input: Input = { limit: 3, order, ...(cursor === undefined ? {} : { cursor }) }
      const { body, headers } = await testBerth.call<Summary[]>('database.all', input)
      read.push(...body.map(({ appName }) => appName))
      cursor = headers['berth-next-cursor'] as string | undefined
      if (cursor === undefined) break
    }
    assert.deepEqual(read, order === 'asc' ? everything : everything.toReversed())
  }
})

test('refuses unknown kinds, states and orders, and names the field', async () => {
  await testBerth.refused('BAD_REQUEST', 'database.all', { kind: 'oracle' }, 'kind')
  await testBerth.refused('BAD_REQUEST', 'database.all', { status: 'up' }, 'status')
  await testBerth.refused('BAD_REQUEST', 'database.all', { order: 'newest' }, 'order')
  await testBerth.refused('BAD_REQUEST', 'database.all', { search: '' }, 'search')
})

for (const name of ['orders', 'blog/Orders']) {
  test(`finds a database as ${name}`, async () => {
    assert.equal((await testBerth.ok<Summary>('database.find', { name })).databaseId, deployed.id)
  })
}

test('a user who is no administrator can find databases', async () => {
  assert.equal((await all({}, testBerth.user)).length, everything.length)
})

test('suggests the nearest names for one that does not exist', async () => {
  for (const [name, near] of [
    ['ordres', /Did you mean orders/],
    ['blog/Order', /Did you mean blog\/Orders/],
    ['something else entirely', /database\.all lists all databases/],
  ] as const) {
    assert.match((await testBerth.refused('NOT_FOUND', 'database.find', { name })).message, near)
  }
})

test('refuses the name of several databases, and names their appNames', async () => {
  const { message } = await testBerth.refused('CONFLICT', 'database.find', { name: 'shop/twin' }, 'name')
  assert.match(message, /twin-a, twin-b/)
})

test('a removed database is neither found nor listed', async () => {
  await using own = await startTestBerth()
  const clients = databaseClientsOf(own, kinds[0]!)
  const database = await clients.create({ name: 'gone', appName: 'gone' })
  await own.ok(`${kinds[0]!.name}.remove`, { [`${kinds[0]!.name}Id`]: database[`${kinds[0]!.name}Id`] })
  await own.refused('NOT_FOUND', 'database.find', { name: 'gone' })
  assert.deepEqual(await own.ok('database.all'), [])
})
