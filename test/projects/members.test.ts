/** Members of projects: the operations, invitations with projects, and what takes effect when. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTwoProjects, type TwoProjectsBerth } from '../api/reach/two-projects.ts'

const cleanup = new AsyncDisposableStack()
after(() => cleanup.disposeAsync())
const projects = cleanup.use(await startTwoProjects())
const start = async () => cleanup.use(await projects.start())

type Input = Record<string, unknown>

/** Calls and returns the body; fails if the answer is not 200. */
async function ok({ call }: TwoProjectsBerth, name: string, input: Input, as?: string): Promise<Input> {
  const { status, body } = await call(name, input, as)
  assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
  return body
}

/** Asserts that the call is refused and writes nothing. */
async function refused({ call, stored }: TwoProjectsBerth, status: number, name: string, input: Input, as?: string) {
  const before = stored()
  const reply = await call(name, input, as)
  assert.equal(reply.status, status, `${name}: ${JSON.stringify(reply.body)}`)
  assert.equal(stored(), before, `${name} wrote`)
  return String(reply.body.message)
}

test('an owner adds, changes and removes members, and they reach the project at their next call', async () => {
  const berth = await start()
  const { shop, member } = berth
  const { projectId } = shop
  const owner = await member({ [projectId]: 'owner' })
  const ada = await member({})
  await refused(berth, 404, 'project.one', { projectId }, ada.token)
  const added = await ok(
    berth,
    'project.addMember',
    { projectId, email: ada.email.toUpperCase(), role: 'viewer' },
    owner.token,
  )
  assert.deepEqual(added, {
    projectId,
    accountId: ada.id,
    email: ada.email,
    role: 'viewer',
    createdAt: added.createdAt,
  })
  assert.equal((await ok(berth, 'project.one', { projectId }, ada.token)).role, 'viewer')
  const change = { projectId, accountId: ada.id, role: 'developer' }
  await refused(berth, 403, 'project.updateMember', change, ada.token)
  assert.equal((await ok(berth, 'project.updateMember', change, owner.token)).role, 'developer')
  const listed = (await ok(berth, 'project.members', { projectId }, ada.token)) as object as Input[]
  assert.deepEqual(
    listed.map(({ email, role }) => [email, role]),
    [
      [owner.email, 'owner'],
      [ada.email, 'developer'],
    ],
  )
  await ok(berth, 'project.removeMember', { projectId, accountId: ada.id }, owner.token)
  await refused(berth, 404, 'project.one', { projectId }, ada.token)
})

test('refuses unknown accounts, accounts that are members already, and accounts that are no members', async () => {
  const berth = await start()
  const { projectId } = berth.shop
  const ada = await berth.member({ [projectId]: 'viewer' })
  const bob = await berth.member({})
  const role = 'viewer'
  assert.match(
    await refused(berth, 404, 'project.addMember', { projectId, email: 'no@example.org', role }),
    /^email: No/,
  )
  await refused(berth, 409, 'project.addMember', { projectId, email: ada.email, role })
  await refused(berth, 400, 'project.addMember', { projectId, email: bob.email, role: 'admin' })
  for (const name of ['project.updateMember', 'project.removeMember']) {
    await refused(berth, 404, name, { projectId, accountId: bob.id, role })
  }
})

test('the last owner keeps the role, unless a caller takes it that reaches all projects', async () => {
  const berth = await start()
  const { projectId } = berth.shop
  const owner = await berth.member({ [projectId]: 'owner' })
  const developer = await berth.member({ [projectId]: 'developer' })
  const own = { projectId, accountId: owner.id }
  assert.match(await refused(berth, 409, 'project.removeMember', own, owner.token), /last owner/)
  await refused(berth, 409, 'project.updateMember', { ...own, role: 'viewer' }, owner.token)
  await ok(berth, 'project.updateMember', { ...own, role: 'owner' }, owner.token)
  await ok(berth, 'project.updateMember', { projectId, accountId: developer.id, role: 'owner' }, owner.token)
  await ok(berth, 'project.removeMember', own, owner.token)
  await ok(berth, 'project.removeMember', { projectId, accountId: developer.id })
})

test('memberships end with the account and with the project', async () => {
  const berth = await start()
  const { shop, bakery, member, app } = berth
  const ada = await member({ [shop.projectId]: 'owner', [bakery.projectId]: 'owner' })
  const rows = () => app.db.selectFrom('projectMember').selectAll().execute()
  await ok(berth, 'project.remove', { projectId: bakery.projectId, cascade: true }, ada.token)
  assert.deepEqual(
    (await rows()).map(({ projectId }) => projectId),
    [shop.projectId],
  )
  await refused(berth, 404, 'project.one', { projectId: bakery.projectId }, ada.token)
  await ok(berth, 'user.remove', { userId: ada.id })
  assert.deepEqual(await rows(), [])
})

test('an administrator takes back the reach of all projects and gives it again', async () => {
  const berth = await start()
  const { shop, bakery } = berth
  const { id, token } = await berth.user()
  const ids = async () => ((await ok(berth, 'project.all', {}, token)) as object as Input[]).map((it) => it.projectId)
  assert.deepEqual(await ids(), [shop.projectId, bakery.projectId])
  await ok(berth, 'project.addMember', { projectId: shop.projectId, email: 'user@example.org', role: 'viewer' })
  await refused(berth, 403, 'user.update', { userId: id, allProjects: false }, token)
  const changed = await ok(berth, 'user.update', { userId: id, allProjects: false })
  assert.deepEqual([changed.allProjects, changed.projects], [false, [{ projectId: shop.projectId, role: 'viewer' }]])
  assert.deepEqual(await ids(), [shop.projectId])
  assert.equal((await ok(berth, 'auth.get', {}, token)).allProjects, false)
  await refused(berth, 403, 'project.create', { name: 'more' }, token)
  await ok(berth, 'user.update', { userId: id, allProjects: true })
  assert.deepEqual(await ids(), [shop.projectId, bakery.projectId])
  assert.match(
    await refused(berth, 409, 'user.update', { userId: (await berth.admin()).id, allProjects: false }),
    /administrator/,
  )
})

test('an invitation with projects creates an account that reaches those that still exist, with their roles', async () => {
  const berth = await start()
  const { shop, bakery } = berth
  const wanted = [
    { projectId: shop.projectId, role: 'developer' },
    { projectId: bakery.projectId, role: 'viewer' },
  ]
  const { id, token, ...invited } = await ok(berth, 'user.invite', { email: 'ada@example.org', projects: wanted })
  assert.deepEqual(invited.projects, wanted)
  await ok(berth, 'project.remove', { projectId: bakery.projectId, cascade: true })
  const password = 'correct horse battery staple'
  const { account, accessToken } = await ok(berth, 'auth.createUser', { id, token, password }, String(token))
  assert.equal((account as Input).allProjects, false)
  const verified = await ok(berth, 'auth.verifyToken', {}, String(accessToken))
  assert.deepEqual(verified.projects, [{ projectId: shop.projectId, role: 'developer' }])
})

test('refuses invitations with projects that do not exist, that are named twice, and of administrators', async () => {
  const berth = await start()
  const email = 'ada@example.org'
  const entry = { projectId: berth.shop.projectId, role: 'owner' }
  await refused(berth, 404, 'user.invite', { email, projects: [{ ...entry, projectId: 'none' }] })
  await refused(berth, 400, 'user.invite', { email, projects: [entry, { ...entry, role: 'viewer' }] })
  await refused(berth, 400, 'user.invite', { email, rol: 'admin', projects: [entry] })
  assert.deepEqual((await ok(berth, 'user.invite', { email, projects: [] })).projects, [])
})

test('a token limited to projects reaches only those that its account reaches, with its role', async () => {
  const berth = await start()
  const { shop, bakery, member } = berth
  const ada = await member({ [shop.projectId]: 'developer' })
  const limited = (name: string, ids: string[]) => ({ name, scope: 'admin', projects: ids })
  const message = await refused(
    berth,
    404,
    'auth.createToken',
    limited('a', [shop.projectId, bakery.projectId]),
    ada.token,
  )
  assert.equal(
    message,
    await refused(berth, 404, 'auth.createToken', limited('a', [shop.projectId, 'none']), ada.token).then((it) => it),
  )
  await refused(berth, 400, 'auth.createToken', limited('a', []), ada.token)
  const { token, projects: ids } = await ok(
    berth,
    'auth.createToken',
    limited('a', [shop.projectId, shop.projectId]),
    ada.token,
  )
  assert.deepEqual(ids, [shop.projectId])
  const verified = await ok(berth, 'auth.verifyToken', {}, String(token))
  assert.deepEqual(verified.projects, [{ projectId: shop.projectId, role: 'developer' }])
  const listed = (await ok(berth, 'auth.tokens', {}, ada.token)) as object as Input[]
  assert.deepEqual(
    listed.map((it) => it.projects),
    [[shop.projectId]],
  )
  await ok(berth, 'project.removeMember', { projectId: shop.projectId, accountId: ada.id })
  await refused(berth, 404, 'project.one', { projectId: shop.projectId }, String(token))
})

test('a token of an administrator that is limited to a project is no administrator', async () => {
  const berth = await start()
  const { shop, bakery } = berth
  const input = { name: 'pipeline', scope: 'admin', projects: [shop.projectId] }
  const token = String((await ok(berth, 'auth.createToken', input)).token)
  assert.equal((await ok(berth, 'auth.verifyToken', {}, token)).rol, 'user')
  await ok(berth, 'project.update', { projectId: shop.projectId, name: 'renamed' }, token)
  await refused(berth, 404, 'project.update', { projectId: bakery.projectId, name: 'renamed' }, token)
  assert.match(await refused(berth, 403, 'audit.all', {}, token), /not limited to projects/)
  assert.equal(((await ok(berth, 'user.all', {}, token)) as object as Input[]).length, 1)
})

test('the audit log has the account and its rights after each change', async () => {
  const berth = await start()
  const { projectId } = berth.shop
  const ada = await berth.member({})
  const member = { projectId, accountId: ada.id }
  await ok(berth, 'project.addMember', { projectId, email: ada.email, role: 'viewer' })
  await ok(berth, 'project.updateMember', { ...member, role: 'owner' })
  await ok(berth, 'project.removeMember', member)
  await ok(berth, 'user.update', { userId: ada.id, allProjects: true })
  const entries = (await ok(berth, 'audit.all', { order: 'desc', limit: 4 })) as object as Input[]
  assert.deepEqual(
    entries.map(({ operation, record, details }) => [operation, record, (details as Input).rights]),
    [
      ['user.update', ada.id, { accountId: ada.id, allProjects: true }],
      ['project.removeMember', projectId, { accountId: ada.id, role: null }],
      ['project.updateMember', projectId, { accountId: ada.id, role: 'owner' }],
      ['project.addMember', projectId, { accountId: ada.id, role: 'viewer' }],
    ],
  )
})
