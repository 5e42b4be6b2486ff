/** Rights are checked for each event, and a stream ends when its token loses the access. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newestEvent } from '../../src/events/queries.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'
import { type EventStream, openStream } from './stream.ts'

const testBerth = await startTestBerth()
after(() => testBerth.close())
const url = await testBerth.listen()
const { app, ok, admin } = testBerth

let names = 0
const password = 'a good password'

/** Creates an account by an invitation. Returns its id and a session. */
async function join(rol: 'admin' | 'user') {
  const email = `member-${++names}@example.org`
  const { id, token } = await ok<{ id: string; token: string }>('user.invite', { email, rol })
  const joined = await ok<{ account: { id: string }; accessToken: string }>(
    'auth.createUser',
    { id, token, password },
    {},
    token,
  )
  return { id: joined.account.id, email, token: joined.accessToken }
}

const createToken = (as: string, expiresAt?: string) =>
  ok<{ tokenId: string; token: string }>(
    'auth.createToken',
    { name: `token ${++names}`, scope: 'read', ...(expiresAt === undefined ? {} : { expiresAt }) },
    {},
    as,
  )

/** Makes a change of which each account may read the event, and waits until an administrator has got the event. */
async function changeSeenByAll(): Promise<string> {
  await using stream = await openStream(url, admin, 'kind=project')
  const { projectId } = await ok('project.create', { name: `received ${++names}` })
  await stream.event('the project', ({ recordId }) => recordId === projectId)
  return projectId as string
}

/** Each makes a stream lose its access. Returns the stream and the loss. */
const losses: Record<string, () => Promise<{ token: string; lose(): Promise<unknown> }>> = {
  async 'the token is revoked'() {
    const { tokenId, token } = await createToken(admin)
    return { token, lose: () => ok('auth.revokeToken', { tokenId }) }
  },
  async 'the token expires'() {
    // Shorter than the ten minutes in which the session of the administrator needs no password, also if it passes twice.
    const expiresAt = new Date(testBerth.now().getTime() + 4 * 60_000).toISOString()
    const { token } = await createToken(admin, expiresAt)
    return { token, lose: async () => testBerth.pass(4 * 60_000) }
  },
  async 'the session ends'() {
    const { token } = await join('user')
    return { token, lose: () => ok('auth.logout', {}, {}, token) }
  },
  async 'the role is lost'() {
    const { id, token: session } = await join('admin')
    const { token } = await createToken(session)
    return { token, lose: () => ok('auth.updateByAdmin', { id, email: null, password: null, rol: 'user' }) }
  },
  async 'the account is deleted'() {
    const { id, token } = await join('user')
    return { token, lose: () => ok('user.remove', { userId: id }) }
  },
  async 'the password is changed'() {
    const { id, token } = await join('user')
    return { token, lose: () => ok('auth.updateByAdmin', { id, email: null, password: 'another good password' }) }
  },
}

for (const [loss, prepare] of Object.entries(losses)) {
  test(`sends no event after the loss of the access: ${loss}`, async () => {
    const { token, lose } = await prepare()
    await using stream = await openStream(url, token)
    const received = await changeSeenByAll()
    await stream.event('the change before', ({ recordId }) => recordId === received)
    await lose()
    const unseen = await changeSeenByAll()
    await stream.end
    assert.ok(!stream.changes().some(({ recordId }) => recordId === unseen))
  })
}

test('ends streams without events after the loss of the access', async () => {
  const prepared = await Promise.all(Object.values(losses).map((prepare) => prepare()))
  const streams = new AsyncDisposableStack()
  await using _ = streams
  const all: EventStream[] = []
  for (const { token } of prepared) all.push(streams.use(await openStream(url, token, 'kind=certificate')))
  const other = streams.use(await openStream(url, admin, 'kind=certificate'))
  for (const { lose } of prepared) await lose()
  await Promise.all(all.map(({ end }) => end))
  assert.equal(other.hasEnded(), false)
  const ended = /^berth_event_streams_ended_total\{reason="access"\} (\d+)$/m.exec(await app.metrics())?.[1]
  assert.ok(Number(ended) >= all.length)
})

test('sends events for administrators to nobody else, except those about the own account', async () => {
  const start = String(await newestEvent(app.db))
  const [member, other] = [await join('user'), await join('user')]
  await app.transact((tx) =>
    tx
      .insertInto('node')
      .values({
        id: 'node-1',
        hostname: 'web-1',
        state: 'ready',
        since: '2030-01-01T00:00:00.000Z',
        deploymentId: null,
        force: 0,
        availability: '',
      })
      .execute(),
  )
  const last = await changeSeenByAll()
  const kindsFor = async (token: string) => {
    await using stream = await openStream(url, token, '', start)
    await stream.event('the last change', ({ recordId }) => recordId === last)
    return stream.changes().map(({ kind, recordId }) => `${kind} ${recordId}`)
  }
  const [forAdmin, forMember] = [await kindsFor(admin), await kindsFor(member.token)]
  const accounts = [`account ${member.id}`, `account ${other.id}`]
  assert.ok([...accounts, 'node node-1'].every((it) => forAdmin.includes(it)))
  assert.ok(forAdmin.some((it) => it.startsWith('invitation ')))
  assert.deepEqual([...new Set(forMember)].sort(), [accounts[0]!, `project ${last}`].sort())
})
