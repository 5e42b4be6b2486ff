/** Streams of accounts that do not reach all projects. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { toJson } from '../../src/lib/json.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'
import { until } from '../engine/until.ts'
import { openStream } from './stream.ts'

const testBerth = await startTestBerth()
after(() => testBerth.close())
const url = await testBerth.listen()
const { ok, admin, projectId } = testBerth
const [kind] = kinds
const databases = databaseClientsOf(testBerth, kind!)

/** Creates an account that is a member of the project of the fixture. Returns its id and a session. */
async function join(email: string, role: string) {
  const invitation = await ok<{ id: string; token: string }>('user.invite', { email, projects: [{ projectId, role }] })
  const { id, token } = invitation
  const input = { id, token, password: 'a good password' }
  const joined = await ok<{ account: { id: string }; accessToken: string }>('auth.createUser', input, {}, token)
  return { id: joined.account.id, token: joined.accessToken }
}

test('sends the events of the projects in reach, and of a database that leaves them only that it is gone', async () => {
  const { token } = await join('ada@example.org', 'viewer')
  await using stream = await openStream(url, token)
  const other = await ok('project.create', { name: 'other' })
  const foreign = await databases.create({ name: 'foreign', projectId: other.projectId })
  const database = await databases.create()
  const id = databases.idOf(database)
  await stream.event('the database', ({ recordId }) => recordId === id)
  await ok(`${kind!.name}.update`, { [kind!.idField]: id, projectId: other.projectId, name: 'renamed-there' })
  await stream.event('its removal', ({ recordId, change }) => recordId === id && change === 'removed')
  await ok('project.update', { projectId, name: 'renamed' })
  await stream.event('the project', ({ recordId }) => recordId === projectId)
  const text = JSON.stringify(stream.changes())
  const hidden = [other.projectId, databases.idOf(foreign), 'renamed-there']
  for (const secret of hidden) assert.ok(!text.includes(String(secret)), text)
})

test('sends the end of a condition that leaves the projects in reach, and none of its new fields', async () => {
  const { token } = await join('cleo@example.org', 'viewer')
  await using stream = await openStream(url, token, 'kind=condition')
  const other = await ok<{ projectId: string }>('project.create', { name: 'another' })
  const { app } = testBerth
  const condition = {
    ...({
      id: app.newId(),
      name: 'Down',
      severity: 'critical',
      subjectKind: 'database',
      subjectId: app.newId(),
    } as const),
    ...({ subjectName: 'shop-db', projectId, adminOnly: 0, since: app.now().toISOString(), endedAt: null } as const),
    reason: toJson({ reason: 'OpenToEveryone' }) as never,
  }
  await app.transact((tx) =>
    tx
      .insertInto('condition')
      .values(condition as never)
      .execute(),
  )
  const isCondition = ({ recordId }: Record<string, unknown>) => recordId === condition.id
  await stream.event('the condition', (event) => isCondition(event) && event.change === 'created')
  const change = { projectId: other.projectId, subjectName: 'renamed-there' }
  await app.transact((tx) => tx.updateTable('condition').set(change).where('id', '=', condition.id).execute())
  await stream.event('its removal', (event) => isCondition(event) && event.change === 'removed')
  const text = JSON.stringify(stream.changes())
  for (const secret of [other.projectId, 'renamed-there']) assert.ok(!text.includes(secret), text)
})

for (const [loss, lose] of [
  ['the membership', (accountId: string) => ok('project.removeMember', { projectId, accountId })],
  ['a role', (accountId: string) => ok('project.updateMember', { projectId, accountId, role: 'viewer' })],
] as const) {
  test(`ends a stream after the loss of ${loss}, and sends no event after it`, async () => {
    const { id, token } = await join(`${loss.replaceAll(' ', '-')}@example.org`, 'developer')
    await using stream = await openStream(url, token, 'kind=project')
    await lose(id)
    await ok('project.update', { projectId, name: `after ${loss}` })
    await stream.end
    assert.ok(!JSON.stringify(stream.changes()).includes(`after ${loss}`))
  })
}

for (const [change, perform] of [
  ['lost', ({ accountId }: Joined) => ok('project.removeMember', { projectId, accountId })],
  ['got', ({ email, otherId }: Joined) => ok('project.addMember', { projectId: otherId, email, role: 'viewer' })],
  ['got the reach of', ({ accountId }: Joined) => ok('user.update', { userId: accountId, allProjects: true })],
] as const) {
  test(`tells a client that resumes after its account ${change} a project to read everything anew`, async () => {
    const { projectId: otherId } = await ok<{ projectId: string }>('project.create', { name: 'other' })
    const email = `${change.replaceAll(' ', '-')}@example.org`
    const { id, token } = await join(email, 'viewer')
    const before = await openStream(url, token, 'kind=database')
    await perform({ accountId: id, email, otherId })
    await before.end
    await using resumed = await openStream(url, token, 'kind=database', before.position())
    const kindsOf = () => resumed.messages.map(({ event }) => event)
    await until(
      'the reset, and the position after it',
      async () => kindsOf().includes('reset') && kindsOf().at(-1) === 'message',
    )
    await using again = await openStream(url, token, 'kind=database', resumed.position())
    assert.deepEqual(
      again.messages.map(({ event }) => event),
      ['message'],
    )
  })
}

type Joined = Record<'accountId' | 'email' | 'otherId', string>

test('ends a stream of an account that no longer reaches all projects', async () => {
  const { id, token } = await ok<{ id: string; token: string }>('user.invite', { email: 'bob@example.org' })
  const input = { id, token, password: 'a good password' }
  const joined = await ok<{ account: { id: string }; accessToken: string }>('auth.createUser', input, {}, token)
  await using stream = await openStream(url, joined.accessToken, 'kind=certificate')
  await ok('user.update', { userId: joined.account.id, allProjects: false })
  await stream.end
  assert.equal(stream.hasEnded(), true)
  assert.notEqual(admin, joined.accessToken)
})
