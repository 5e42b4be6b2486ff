/** Two people edit the same record: the second one overwrites nothing, and is told the present tag. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { type Database, databaseClientsOf, waitForRecord } from '../fixtures/database-clients.ts'
import { type Failure, type Input, startTestBerth, type TestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!

const tagOf = async (testBerth: TestBerth, name: string, input: Input) =>
  (await testBerth.call(name, input)).headers.etag!

const databaseTag = (testBerth: TestBerth, database: Database) =>
  tagOf(testBerth, `${kind.name}.one`, { [kind.idField]: database[kind.idField] })

test('of two edits of a database at the same time one succeeds, and the other writes nothing', async () => {
  await using testBerth = await startTestBerth()
  const database = await databaseClientsOf(testBerth, kind).create()
  const id = { [kind.idField]: database[kind.idField] }
  const headers = { 'if-match': await databaseTag(testBerth, database) }
  const names = ['first', 'second']
  const replies = await Promise.all(
    names.map((name) => testBerth.call<Database & Failure>(`${kind.name}.update`, { ...id, name }, headers)),
  )
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 412])
  const [won, lost] = replies.toSorted((a, b) => a.status - b.status)
  assert.equal((await testBerth.ok<Database>(`${kind.name}.one`, id)).name, won!.body.name)
  assert.equal(lost!.headers.etag, won!.headers.etag)
  const { message } = await testBerth.refused(
    'PRECONDITION_FAILED',
    `${kind.name}.update`,
    { ...id, name: 'third' },
    undefined,
    headers,
  )
  assert.equal(
    message,
    `The record was changed since you read it. Read it again with ${kind.name}.one, and repeat the call with the new ` +
      'tag in If-Match',
  )
  const retried = { 'if-match': lost!.headers.etag! }
  assert.equal((await testBerth.call(`${kind.name}.update`, { ...id, name: 'third' }, retried)).status, 200)
})

test('of two edits of a redirect at the same time one succeeds, and the proxy has its rules', async () => {
  await using testBerth = await startTestBerth()
  const fields = { regex: '^/old$', replacement: '/new', permanent: true }
  const { redirectId } = await testBerth.ok('redirects.create', { ...fields, applicationId: 'shop' })
  const headers = { 'if-match': await tagOf(testBerth, 'redirects.one', { redirectId }) }
  const replies = await Promise.all(
    ['/first', '/second'].map((replacement) =>
      testBerth.call('redirects.update', { ...fields, redirectId, replacement }, headers),
    ),
  )
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 412])
  const won = replies.find(({ status }) => status === 200)!
  assert.equal((await testBerth.ok('redirects.one', { redirectId })).replacement, won.body.replacement)
})

test('the tag of a database stays the same while it starts, fails and is deployed', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create({ appName: 'shop-db' })
  const tag = await databaseTag(testBerth, database)
  testBerth.engine.behave('shop-db', 'starting')
  const started = await databaseClients.call('deploy', database, {}, { 'if-match': tag })
  assert.deepEqual([started.status, started.headers.etag, started.body.applicationStatus], [200, tag, 'running'])
  assert.equal(await databaseTag(testBerth, database), tag)
  testBerth.engine.behave('shop-db', 'running')
  await databaseClients.complete('deploy', database)
  assert.equal(await databaseTag(testBerth, database), tag)
  testBerth.engine.behave('shop-db', 'crash:1')
  const down = ({ applicationStatus }: Database) => applicationStatus === 'error'
  await waitForRecord(testBerth, databaseClients, database, down)
  assert.equal(await databaseTag(testBerth, database), tag)
})

test('a waited-for change answers the tag of its edit', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed()
  const headers = { ...wait, 'if-match': await databaseTag(testBerth, database) }
  const { status, headers: answered } = await databaseClients.call('stop', database, {}, headers)
  assert.deepEqual([status, answered.etag], [200, await databaseTag(testBerth, database)])
})

test('a repeated Idempotency-Key gets the first answer and its tag, although the record has changed', async () => {
  await using testBerth = await startTestBerth()
  const { projectId } = testBerth
  const tag = await tagOf(testBerth, 'project.one', { projectId })
  const headers = { 'idempotency-key': 'one of mine', 'if-match': tag }
  const edit = () => testBerth.call('project.update', { projectId, name: 'a' }, headers)
  const first = await edit()
  await testBerth.ok('project.update', { projectId, name: 'b' })
  const again = await edit()
  assert.deepEqual([again.status, again.body, again.headers.etag], [200, first.body, first.headers.etag])
  assert.notEqual(again.headers.etag, tag)
})

test('a refused precondition is recorded in the audit log', async () => {
  await using testBerth = await startTestBerth()
  const { projectId } = testBerth
  const refused = await testBerth.call('project.update', { projectId, name: 'a' }, { 'if-match': '"x"' })
  assert.equal(refused.status, 412)
  const entries = await testBerth.ok<Input[]>('audit.all', { order: 'desc', limit: 1 })
  assert.deepEqual([entries[0]!.operation, entries[0]!.result], ['project.update', 'PRECONDITION_FAILED'])
})

test('a malformed If-Match and a weak tag are refused, also through a socket', async () => {
  await using testBerth = await startTestBerth()
  const { projectId } = testBerth
  const url = await testBerth.listen()
  const send = (ifMatch: string) =>
    fetch(`${url}/api/project.update`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testBerth.admin}`, 'content-type': 'application/json', 'if-match': ifMatch },
      body: JSON.stringify({ projectId, name: 'a' }),
    })
  for (const ifMatch of ['', 'abc', '"a" "b"', 'W/"a"', '*, "a"']) {
    const response = await send(ifMatch)
    const { issues } = (await response.json()) as Failure
    assert.deepEqual([response.status, issues.map(({ path }) => path)], [400, ['If-Match']], ifMatch)
  }
  const missed = await send('"a"')
  assert.equal(missed.status, 412)
  const found = await send(`"a", ${missed.headers.get('etag')}`)
  assert.equal(found.status, 200)
  assert.notEqual(found.headers.get('etag'), missed.headers.get('etag'))
})
