/** Rights that change while a call is in progress, and the time that a hidden record takes. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Actor } from '../../../src/api/contract.ts'
import type { ProjectRole } from '../../../src/api/reach/reach.ts'
import { recheckReach, withinReach } from '../../../src/api/reach/within-reach.ts'
import { Refusal } from '../../../src/errors.ts'
import { kinds } from '../../../src/kinds/index.ts'
import { operations } from '../../../src/operations.ts'
import { startTwoProjects } from './two-projects.ts'

const cleanup = new AsyncDisposableStack()
after(() => cleanup.disposeAsync())
const projects = cleanup.use(await startTwoProjects())
const berth = cleanup.use(await projects.start())
const { shop, bakery, app } = berth
const operation = operations.find(({ name }) => name === 'backup.restore')!
const input = { runId: shop.runId!, appName: 'copy', projectId: shop.projectId }

const actorWith = (roles: Record<string, ProjectRole>): Actor => ({
  tokenId: 'token',
  kind: 'session',
  accountId: 'account',
  email: '',
  rol: 'user',
  scope: null,
  passed2FA: false,
  expiresAt: null,
  expired: false,
  address: '',
  reach: new Map(Object.entries(roles)),
  role: 'viewer',
  isLimitedToken: false,
})
const owner = actorWith({ [shop.projectId]: 'owner' })
const isRefusal = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code

test('an action goes on with the same rights', async () => {
  const earlier = await withinReach(app.db, operation, owner, input)
  assert.deepEqual([earlier.actor.role, earlier.input, earlier.isHidden], ['owner', input, false])
  await recheckReach(app.db, operation, earlier, actorWith({ [shop.projectId]: 'owner' }), input)
})

const changes: [string, Actor, string][] = [
  ['the membership is lost', actorWith({}), 'CONFLICT'],
  ['the role is lost', actorWith({ [shop.projectId]: 'viewer' }), 'FORBIDDEN'],
  ['another project is lost', actorWith({ [shop.projectId]: 'owner', [bakery.projectId]: 'viewer' }), 'CONFLICT'],
]
for (const [change, present, code] of changes) {
  test(`an action is refused with ${code} before it concludes if ${change}`, async () => {
    const earlier = await withinReach(app.db, operation, owner, input)
    await assert.rejects(recheckReach(app.db, operation, earlier, present, input), isRefusal(code))
  })
}

test('a session goes on with other rights, as long as its database is in reach with the role', async () => {
  const open = operations.find(({ name }) => name === 'database.openSession')!
  const session = { databaseId: shop.databaseId! }
  const earlier = await withinReach(app.db, open, owner, session)
  const check = (roles: Record<string, ProjectRole>) => recheckReach(app.db, open, earlier, actorWith(roles), session)
  await check({ [shop.projectId]: 'developer' })
  await check({ [shop.projectId]: 'owner', [bakery.projectId]: 'viewer' })
  await assert.rejects(check({ [shop.projectId]: 'viewer' }), isRefusal('FORBIDDEN'))
  await assert.rejects(check({ [bakery.projectId]: 'owner' }), isRefusal('CONFLICT'))
})

test('an action is refused before it concludes if its record moved to a project out of reach', async () => {
  const earlier = await withinReach(app.db, operation, owner, input)
  const move = (projectId: string) =>
    app.transact((tx) => tx.updateTable('database').set({ projectId }).where('id', '=', shop.databaseId!).execute())
  await move(bakery.projectId)
  await assert.rejects(recheckReach(app.db, operation, earlier, owner, input), isRefusal('CONFLICT'))
  await move(shop.projectId)
})

test('a call needs the role in the projects of all records that it names', async () => {
  const both = actorWith({ [shop.projectId]: 'owner', [bakery.projectId]: 'developer' })
  await assert.rejects(
    withinReach(app.db, operation, both, { ...input, projectId: bakery.projectId }),
    isRefusal('FORBIDDEN'),
  )
  const read = operations.find(({ name }) => name === 'backup.runs')!
  const { actor } = await withinReach(app.db, read, both, { backupId: shop.backupId, serviceId: bakery.databaseId })
  assert.equal(actor.role, 'developer', 'the narrower one')
})

test('a call that names no record needs the reach of all projects', async () => {
  await assert.rejects(withinReach(app.db, operation, owner, { appName: 'copy' }), isRefusal('FORBIDDEN'))
})

test('a record out of reach takes as long as one that does not exist', async (t) => {
  const [kind] = kinds
  const { token } = await berth.member({ [bakery.projectId]: 'owner' })
  const call = async (id: string) => {
    const start = performance.now()
    const { status } = await berth.call(`${kind!.name}.one`, { [kind!.idField]: id }, token)
    assert.equal(status, 404)
    return performance.now() - start
  }
  const [hidden, unknown]: [number[], number[]] = [[], []]
  // In turn, so that both meet the same load of the machine.
  for (let i = 0; i < 400; i++) {
    hidden.push(await call(shop[kind!.idField]!))
    unknown.push(await call('01900000-0000-7000-8000-000000000000'))
  }
  const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length / 2]!
  const [a, b] = [median(hidden), median(unknown)]
  t.diagnostic(`median of a hidden record ${a.toFixed(3)} ms, of an unknown one ${b.toFixed(3)} ms`)
  assert.ok(a / b < 1.5 && b / a < 1.5, `${a} ms and ${b} ms`)
})
