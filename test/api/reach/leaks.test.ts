/** What a caller with limited reach could learn about other projects by messages, keys, tags, moves and leftovers. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { kinds } from '../../../src/kinds/index.ts'
import { toJson } from '../../../src/lib/json.ts'
import { startTwoProjects } from './two-projects.ts'

const cleanup = new AsyncDisposableStack()
after(() => cleanup.disposeAsync())
const projects = cleanup.use(await startTwoProjects())

const { name: kind, idField } = kinds.find(({ backup }) => backup !== undefined)!

/** A Berth, and a function that calls as an owner of the bakery. */
async function start() {
  const berth = cleanup.use(await projects.start())
  const owner = await berth.member({ [berth.bakery.projectId]: 'owner' })
  const call = async (name: string, input: Record<string, unknown>, headers = {}) => {
    const { status, body, headers: answered } = await berth.call(name, input, owner.token, headers)
    return { status, message: String(body.message), body, headers: answered }
  }
  return { ...berth, owner, asAdmin: berth.call, call }
}

test('suggests no name of another project for a name that does not exist', async () => {
  const { call, shop, asAdmin } = await start()
  const known = (await asAdmin(`${kind}.one`, { [idField]: shop.databaseId! })).body.appName as string
  const near = `${known.slice(0, -1)}x`
  assert.match(String((await asAdmin('database.find', { name: near })).body.message), new RegExp(known))
  const replies = [await call('database.find', { name: known }), await call('database.find', { name: near })]
  assert.deepEqual(
    replies.map(({ status, message }) => [status, message.includes('Did you mean')]),
    [
      [404, false],
      [404, false],
    ],
  )
  assert.match((await call('database.find', { name: 'bakery/ovens' })).message, /Did you mean bakery\/oven/)
})

test('does not name the owner of a port that is in use', async () => {
  const { call, shop, bakery, asAdmin } = await start()
  const port = { externalPort: 15777 }
  assert.equal((await asAdmin(`${kind}.saveExternalPort`, { [idField]: shop.databaseId!, ...port })).status, 200)
  const input = { [idField]: bakery.databaseId!, ...port }
  assert.match((await call(`${kind}.saveExternalPort`, input)).message, /^externalPort: 15777 is in use\. /)
  assert.match(String((await asAdmin(`${kind}.saveExternalPort`, input)).body.message), /taken by /)
})

test('restores no object by its key, and no run into a project out of reach by default', async () => {
  const { call, app, shop, bakery } = await start()
  const byKey = { key: `key-${shop.runId}`, appName: 'copy', projectId: bakery.projectId }
  const inputs = [
    { ...byKey, destinationId: shop.destinationId! },
    { ...byKey, backupId: bakery.backupId! },
  ]
  for (const input of inputs) assert.match((await call('backup.restore', input)).message, /^key: a restore by the key/)
  assert.equal((await call('backup.files', { backupId: bakery.backupId! })).status, 403)
  assert.equal(
    (await call('backup.restore', { runId: shop.runId!, appName: 'copy', projectId: bakery.projectId })).status,
    404,
  )
  // The name of the dumped service belongs to a service of the shop by now.
  const run = bakery.runId!
  const { manifest } = await app.db
    .selectFrom('backupRun')
    .select('manifest')
    .where('id', '=', run)
    .executeTakeFirstOrThrow()
  const { appName } = await app.db
    .selectFrom('database')
    .select('appName')
    .where('id', '=', shop.databaseId!)
    .executeTakeFirstOrThrow()
  const changed = JSON.stringify({ ...(JSON.parse(manifest!) as object), appName })
  await app.transact((tx) => tx.updateTable('backupRun').set({ manifest: changed }).where('id', '=', run).execute())
  const { status, message } = await call('backup.restore', { runId: run, appName: 'copy' })
  assert.deepEqual([status, message.split(':')[0]], [400, 'projectId'])
})

test('shows the name and the id of a destination only, and no fact of its storage in reasons', async () => {
  const { call, app, shop, bakery, asAdmin } = await start()
  const input = { destinationId: shop.destinationId! }
  const shown = (await call('destination.one', input)).body
  const whole = (await asAdmin('destination.one', input)).body
  assert.deepEqual(
    Object.keys(shown)
      .filter((name) => shown[name] === whole[name])
      .toSorted(),
    ['createdAt', 'destinationId', 'name', 'secretAccessKey'],
  )
  const reason = toJson({ reason: 'StorageFailed', fault: 'refused', detail: 's3.example.org refused' } as const)
  await app.transact((tx) => tx.updateTable('backupRun').set({ reason }).where('id', '=', bakery.runId!).execute())
  const { body } = await call('backup.runs', { backupId: bakery.backupId! })
  assert.doesNotMatch(JSON.stringify(body), /s3\.example/)
  assert.match(JSON.stringify((await asAdmin('backup.runs', { backupId: bakery.backupId! })).body), /s3\.example/)
})

test('chooses no node, no label of nodes and no registry, and is told the same for all of them', async () => {
  const { call, shop, bakery } = await start()
  const update = (change: object) => call(`${kind}.update`, { [idField]: bakery.databaseId!, ...change })
  const nodes = [await update({ node: 'memory' }), await update({ node: 'none' })]
  assert.deepEqual(
    nodes.map(({ status, message }) => [status, message]),
    [
      [403, nodes[0]!.message],
      [403, nodes[0]!.message],
    ],
  )
  assert.equal((await update({ nodeLabel: 'ssd=1' })).status, 403)
  const image = { dockerImage: 'postgres:15' }
  const registries = [
    await update({ ...image, registryId: shop.registryId! }),
    await update({ ...image, registryId: 'none' }),
  ]
  assert.equal(registries[0]!.status, 404)
  assert.deepEqual(registries[0]!.body, registries[1]!.body)
  const record = (await call(`${kind}.one`, { [idField]: bakery.databaseId! })).body
  assert.equal((await call(`${kind}.update`, record)).status, 200, 'the record as it was read')
})

test('adds no names to a certificate, but keeps and removes those that it has', async () => {
  const { call, bakery, asAdmin } = await start()
  const inputOf = (tlsNames: string[]) => ({ [idField]: bakery.databaseId!, tlsNames })
  const update = (tlsNames: string[]) => call(`${kind}.update`, inputOf(tlsNames))
  assert.equal((await asAdmin(`${kind}.update`, inputOf(['a.example.org', 'b.example.org']))).status, 200)
  const refused = await update(['a.example.org', 'c.example.org'])
  assert.equal(refused.status, 403)
  assert.match(refused.message, /^tlsNames: .* reach all projects/)
  const { projectId } = bakery
  const settings = Object.fromEntries(Object.keys(kinds[0]!.settings.shape).map((name) => [name, 'oven']))
  const created = { ...settings, name: 'new', appName: 'new', projectId, tlsNames: ['db.example.org'] }
  assert.equal((await call(`${kind}.create`, created)).status, 403)
  for (const names of [['a.example.org', 'b.example.org'], ['b.example.org'], []]) {
    assert.deepEqual((await update(names)).body.tlsNames, names)
  }
})

test('a move to another project needs the role owner in both', async () => {
  const { call, shop, bakery, owner, app, member, asAdmin } = await start()
  const input = { [idField]: bakery.databaseId!, projectId: shop.projectId }
  const hidden = await call(`${kind}.update`, input)
  assert.deepEqual([hidden.status, hidden.message.split(':')[0]], [404, 'projectId'])
  assert.deepEqual(hidden.body, (await call(`${kind}.update`, { ...input, projectId: 'none' })).body)
  await asAdmin('project.addMember', { projectId: shop.projectId, email: owner.email, role: 'developer' })
  assert.match(
    (await call(`${kind}.update`, input)).message,
    /needs the role owner in the project, and yours is developer/,
  )
  await asAdmin('project.updateMember', { projectId: shop.projectId, accountId: owner.id, role: 'owner' })
  assert.equal((await call(`${kind}.update`, input)).status, 200)
  // All that belongs to the database moves with it.
  const baker = await member({ [bakery.projectId]: 'owner' })
  for (const name of ['backup.all', 'backup.runs', 'deployment.all', 'database.all']) {
    assert.deepEqual((await asAdmin(name, {}, baker.token)).body, [], name)
  }
  assert.equal((await app.db.selectFrom('projectOfDatabase').selectAll().execute()).length, kinds.length + 1)
})

test('what is left of a removed database stays with its project, until the project is removed', async () => {
  const { call, shop, bakery, asAdmin, member } = await start()
  await asAdmin(`${kind}.remove`, { [idField]: shop.databaseId! })
  const shopper = await member({ [shop.projectId]: 'owner' })
  const lists = ['backup.all', 'backup.runs', 'deployment.all', 'volume.all'] as const
  const projectsOfVolume = async (token?: string) => {
    const volumes = (await asAdmin('volume.all', {}, token)).body as object as Record<string, unknown>[]
    return volumes.filter(({ volumeId }) => volumeId === shop.volumeId).map(({ projectId }) => projectId)
  }
  for (const token of [shopper.token, undefined]) assert.deepEqual(await projectsOfVolume(token), [shop.projectId])
  for (const name of lists) {
    const all = (await asAdmin(name, {}, shopper.token)).body as object as Record<string, unknown>[]
    assert.notEqual(all.length, 0, name)
    const own = (await call(name, {})).body as object as unknown[]
    assert.ok(!JSON.stringify(own).includes(shop.databaseId!), name)
  }
  assert.equal((await asAdmin('backup.one', { backupId: shop.backupId! }, shopper.token)).status, 200)
  assert.equal((await call('backup.one', { backupId: shop.backupId! })).status, 404)
  const copy = { volumeId: shop.volumeId!, name: 'copy', projectId: bakery.projectId }
  assert.equal((await call('volume.restore', copy)).status, 404)
  await asAdmin('project.remove', { projectId: shop.projectId, cascade: true })
  for (const name of lists) assert.deepEqual((await asAdmin(name, {}, shopper.token)).body, [], name)
  assert.deepEqual(await projectsOfVolume(), [null])
})

test('a repeated call answers the stored answer only while its record is in reach, and only to the same limits', async () => {
  const { call, owner, bakery, admin, asAdmin, tokenOf } = await start()
  const headers = { 'idempotency-key': 'once' }
  const input = { projectId: bakery.projectId, name: 'renamed' }
  const first = await call('project.update', input, headers)
  assert.deepEqual([first.status, (await call('project.update', input, headers)).body], [200, first.body])
  await asAdmin('project.removeMember', { projectId: bakery.projectId, accountId: owner.id })
  const repeated = await call('project.update', input, headers)
  assert.equal(repeated.status, 404)
  assert.deepEqual(repeated.body, (await call('project.update', { ...input, projectId: 'none' })).body)
  // A limited token of an administrator does not get the answers to the administrator's calls.
  const create = { name: 'secret plans' }
  assert.equal((await asAdmin('project.create', create, undefined, headers)).status, 200)
  const token = await tokenOf((await admin()).id, 'admin', [bakery.projectId])
  assert.equal((await asAdmin('project.create', create, token, headers)).status, 403)
})

test('If-Match and Prefer tell nothing about a record out of reach', async () => {
  const { call, shop } = await start()
  for (const headers of [{ 'if-match': '*' }, { 'if-match': '"a-tag-of-another-state"' }, { prefer: 'wait=1' }]) {
    const input = (id: string) => ({ [idField]: id, name: 'renamed' })
    const [hidden, unknown] = [
      await call(`${kind}.update`, input(shop.databaseId!), headers),
      await call(`${kind}.update`, input('none'), headers),
    ]
    assert.deepEqual([hidden.status, hidden.body, hidden.headers.etag], [404, unknown.body, undefined])
  }
})

test('a limited token sees no membership in other projects', async () => {
  const { asAdmin, shop, bakery, member, tokenOf } = await start()
  const { id, token: session } = await member({ [shop.projectId]: 'viewer', [bakery.projectId]: 'owner' })
  const token = await tokenOf(id, 'admin', [bakery.projectId])
  const projectsFor = async (as: string) => {
    const [all] = (await asAdmin('user.all', {}, as)).body as unknown as Record<string, unknown>[]
    const byUserId = (await asAdmin('user.byUserId', { userId: id }, as)).body
    const byAuthId = (await asAdmin('user.byAuthId', { authId: id }, as)).body
    return [all!, byUserId, byAuthId].map(({ projects }) => (projects as object[]).length)
  }
  assert.deepEqual(
    [await projectsFor(session), await projectsFor(token)],
    [
      [2, 2, 2],
      [1, 1, 1],
    ],
  )
})

test('the metrics need the reach of all projects', async () => {
  const { server, owner, admin } = await start()
  const read = (token: string) => server.inject({ url: '/metrics', headers: { authorization: `Bearer ${token}` } })
  assert.deepEqual([(await read(owner.token)).statusCode, (await read((await admin()).token)).statusCode], [403, 200])
})
