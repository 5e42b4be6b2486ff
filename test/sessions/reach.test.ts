/** Sessions of members of a project: who may open one, and when it ends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ProjectRole, projectRoles } from '../../src/api/reach/reach.ts'
import { insertAccount } from '../../src/accounts/accounts.ts'
import { insertMember } from '../../src/accounts/rights/members.ts'
import { issueToken } from '../../src/accounts/tokens.ts'
import { until } from '../engine/until.ts'
import { endless, type SessionBerth, startSessionBerth } from './session-berth.ts'

/** Creates an account with the role in the project of the database; null: it is a member of nothing. */
async function memberOf({ app, projectId }: SessionBerth, role: ProjectRole | null) {
  const id = app.newId()
  const token = await app.transact(async (tx) => {
    await insertAccount(
      tx,
      { id, email: `${id}@example.org`, passwordHash: '', rol: 'user', allProjects: 0 },
      app.now(),
    )
    if (role !== null) await insertMember(tx, id, { projectId, role }, app.now())
    return issueToken(tx, { id: app.newId(), kind: 'session', accountId: id, address: '' }, app.now())
  })
  return { id, token: token.token }
}

for (const role of projectRoles) {
  test(`a ${role} can${role === 'viewer' ? 'not' : ''} open a session`, async () => {
    await using berth = await startSessionBerth()
    const { token } = await memberOf(berth, role)
    if (role === 'viewer') {
      const { status, body } = await berth.refusedOpen({}, { token })
      assert.deepEqual([status, /needs the role developer/.test(body.message!)], [403, true])
      return
    }
    const session = await berth.open({}, { token })
    session.post({ type: 'endInput' })
    assert.equal(await session.closed, 1000)
  })
}

test('a database out of reach is answered like one that does not exist', async () => {
  await using berth = await startSessionBerth()
  const { token } = await memberOf(berth, null)
  const [hidden, unknown] = [
    await berth.refusedOpen({}, { token }),
    await berth.refusedOpen({ databaseId: 'none' }, { token }),
  ]
  assert.equal(hidden.status, 404)
  assert.deepEqual(hidden.body, unknown.body)
  assert.deepEqual(berth.jobs, [])
})

test('ends a session when its account loses the role', async () => {
  await using berth = await startSessionBerth()
  berth.setProgram(endless)
  const { id, token } = await memberOf(berth, 'developer')
  const session = await berth.open({}, { token })
  await until('the program', async () => berth.jobs.length === 1)
  await berth.ok('project.updateMember', { projectId: berth.projectId, accountId: id, role: 'viewer' })
  assert.equal(await session.closed, 1011)
  assert.equal(session.messages.at(-1)!.code, 'AccessEnded')
})
