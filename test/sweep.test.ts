/**
 * Over the complete list of operations, from their declarations: who may, what is refused, that a refusal says which
 * field it is about, that nothing is ever 500, and that whatever is refused has written nothing.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Access, methodOf, type Operation } from '../src/contract.ts'
import { memoryEngine } from '../src/engine/memory.ts'
import { kinds } from '../src/kinds/index.ts'
import { operations } from '../src/operations/index.ts'
import type { Schema } from '../src/store/schema.ts'
import { sealSettings } from '../src/store/targets.ts'
import { issueToken, sessionMs } from '../src/store/tokens.ts'
import { type Berth, type Reply, startBerth } from './harness.ts'
import { hostileInputs, type Known, makeRecords, requiredOf, schemaOf, unknownId, wholeInput } from './sweep-inputs.ts'

type Caller = 'nobody' | 'garbage' | 'expired' | 'installation' | 'user' | 'userApi' | 'admin' | 'adminApi'

const strangers = { nobody: 401, garbage: 401, expired: 401 } as const

/** The one table of access: what each caller gets from an operation that he may not call; '' where he may. */
const table: Record<Access, Record<Caller, 401 | 403 | ''>> = {
  entry: { ...strangers, installation: '', user: '', userApi: '', admin: '', adminApi: '' },
  user: { ...strangers, installation: 403, user: '', userApi: '', admin: '', adminApi: '' },
  session: { ...strangers, installation: 403, user: '', userApi: 403, admin: '', adminApi: 403 },
  admin: { ...strangers, installation: 403, user: 403, userApi: 403, admin: '', adminApi: '' },
}

/** An engine that is away: loops change nothing while what was written is compared. */
function startQuiet(): Promise<Berth> {
  return startBerth({
    connect(id) {
      const engine = memoryEngine(id)
      engine.setDown(true)
      return engine
    },
  })
}

/** One record of each sort; a kept volume has no `create`, for only the removal of a service leaves one. */
async function makeKnown(berth: Berth): Promise<Known> {
  const { app } = berth
  const volumeId = app.newId()
  const sealed = sealSettings(app.vault, 'volume', volumeId,
    { databaseName: 'a', databaseUser: 'b', databasePassword: 'c' }, ['databasePassword'])
  const at = app.now().toISOString()
  await app.transact((tx) => tx.insertInto('volume').values({
    ...sealed, id: volumeId, name: 'kept', kind: kinds[0]!.name, serverVersion: '15', dataPath: '/data',
    nodeId: 'node1', nodeName: 'memory', nodeAddress: '192.0.2.10', databaseId: null, state: 'kept', appName: 'kept',
    dockerImage: kinds[0]!.defaultImage,
    createdAt: at, keptAt: at, deploymentId: null,
  }).execute())
  return { ...await makeRecords(berth, operations), volumeId }
}

const tables: (keyof Schema)[] =
  ['meta', 'account', 'token', 'idempotency', 'project', 'volume', 'database', 'deployment', 'foreignService']

/** Everything that is stored, but for the notes of use and of tries, which are there to be written. */
async function dump({ app }: Berth): Promise<string> {
  const rows = await Promise.all(tables.map((name) => app.db.selectFrom(name).selectAll().execute()))
  return JSON.stringify(rows, (key, value: unknown) => (key === 'lastUsedAt' ? undefined : value))
}

async function tokensOf(berth: Berth): Promise<Record<Caller, string | null>> {
  const [admin, user] = [await berth.admin(), await berth.user()]
  const issue = (kind: 'session' | 'api', id: string, now = new Date()) =>
    berth.app.transact((tx) => issueToken(tx, kind, id, berth.app.newId(), now)).then(({ token }) => token)
  return {
    nobody: null, garbage: 'berth_sess_garbage', installation: berth.installation,
    user: await issue('session', user.id), admin: await issue('session', admin.id),
    expired: await issue('session', user.id, new Date(Date.now() - sessionMs - 1)),
    userApi: await issue('api', user.id), adminApi: await issue('api', admin.id),
  }
}

test('each operation opens to whom its access says, and to nobody else', async (t) => {
  const rows: string[] = []
  for (const operation of operations) {
    await using berth = await startQuiet()
    const known = await makeKnown(berth)
    const expected = { ...table[operation.access] }
    if (operation.takesExpired === true) expected.expired = ''
    const got: string[] = []
    for (const caller of Object.keys(expected) as Caller[]) {
      // Anew for each, for some calls end the token that they are made with.
      const tokens = await tokensOf(berth)
      const before = await dump(berth)
      const reply = await berth.call(operation.name, wholeInput(operation, known), tokens[caller])
      const isOpen = ![401, 403].includes(reply.status) || saysWrongPassword(reply)
      got.push(`${caller} ${isOpen ? 'yes' : reply.status}`)
      assert.equal(isOpen ? '' : reply.status, expected[caller],
        `${operation.name} by ${caller}: ${JSON.stringify(reply.body)}`)
      if (isOpen) continue
      assert.equal(reply.headers['www-authenticate'], reply.status === 401 ? 'Bearer' : undefined)
      assert.equal(await dump(berth), before, `${operation.name} by ${caller} wrote`)
    }
    rows.push(`${operation.name.padEnd(28)} ${operation.access.padEnd(8)} ${got.join(', ')}`)
  }
  t.diagnostic(rows.join('\n'))
})

/** Of the operations that sign in: 401 is also what a wrong password gets. */
const saysWrongPassword = ({ status, body }: Reply) => status === 401 && body.message === 'Wrong e-mail or password'

test('the wrong method is 405 with Allow, and writes nothing', async () => {
  await using berth = await startQuiet()
  const { token } = await berth.admin()
  const before = await dump(berth)
  for (const operation of operations) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const) {
      if (method === methodOf(operation)) continue
      const response = await berth.server.inject({ method, url: `/api/${operation.name}`,
        headers: { authorization: `Bearer ${token}` } })
      assert.deepEqual([response.statusCode, response.headers.allow], [405, methodOf(operation)],
        `${method} ${operation.name}`)
    }
  }
  assert.equal(await dump(berth), before)
})

test('missing fields are one issue each, and write nothing', async () => {
  await using berth = await startQuiet()
  await berth.admin()
  const before = await dump(berth)
  for (const operation of operations.filter((it) => requiredOf(it).length > 0)) {
    const { status, body } = await berth.call(operation.name, {})
    assert.equal(status, 400, operation.name)
    const named = (body.issues as { path: string }[]).map(({ path }) => path)
    assert.deepEqual(named.toSorted(), requiredOf(operation).toSorted(), operation.name)
  }
  assert.equal(await dump(berth), before)
})

test('an unknown id is 404, and writes nothing', async () => {
  await using berth = await startQuiet()
  const known = await makeKnown(berth)
  const before = await dump(berth)
  const swept: string[] = []
  for (const operation of operations.filter(({ refusals = [] }) => refusals.includes('NOT_FOUND'))) {
    const input = wholeInput(operation, known)
    const ids = Object.keys(input).filter((name) => name === 'id' || name.endsWith('Id'))
    for (const id of ids) {
      const { status, body } = await berth.call(operation.name, { ...input, [id]: unknownId })
      assert.deepEqual([status, body.code], [404, 'NOT_FOUND'],
        `${operation.name} with an unknown ${id}: ${JSON.stringify(body)}`)
      swept.push(`${operation.name} ${id}`)
    }
  }
  assert.ok(swept.length > 0)
  assert.equal(await dump(berth), before)
})

for (const operation of operations) {
  test(`${operation.name}: hostile input is refused by its field or taken, never 500`, async () => {
    await using berth = await startQuiet()
    const known = await makeKnown(berth)
    let token = (await berth.admin()).token
    let before = await dump(berth)
    for (const { field, value, input } of hostileInputs(operation, known)) {
      const reply = await berth.call(operation.name, input, token)
      const what =
        `${field} = ${JSON.stringify(value)?.slice(0, 60)}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 300)}`
      checkReply(operation, field, reply, what)
      const after = await dump(berth)
      if (reply.status !== 200) assert.equal(after, before, `it was refused, but something was written: ${what}`)
      before = after
      // Signing out is accepted too.
      if (reply.status === 200) token = await freshToken(berth)
      if (reply.status === 200) before = await dump(berth)
    }
    assert.deepEqual(berth.logged.filter(({ event }) => event === 'defect'), [])
  })
}

function checkReply(operation: Operation, field: string, { status, body }: Reply, what: string) {
  const own = [...(operation.access === 'entry' ? [401] : []), ...(operation.word === 'look' ? [503] : [])]
  const declared = [200, 400, ...own, 404, 409, 412, 422, 429]
  assert.ok(declared.includes(status), what)
  if (status !== 400) return
  const issues = body.issues as { path: string; message: string }[]
  assert.ok(issues.length > 0 && issues.every(({ path }) => path === field || path.startsWith(`${field}.`)), what)
  assert.ok(issues.every(({ message }) => message.length > 0 && message.length < 500), what)
}

async function freshToken(berth: Berth): Promise<string> {
  const { id } = await berth.admin()
  return (await berth.app.transact((tx) => issueToken(tx, 'session', id, berth.app.newId(), new Date()))).token
}

test('every operation is declared whole: a group, a summary, fields with types', () => {
  for (const operation of operations) {
    assert.match(operation.name, /^[a-z][A-Za-z0-9]*\.[a-z][A-Za-z0-9]*$/)
    assert.match(operation.summary, /^[A-Z].*[^.]$/, operation.name)
    for (const [name, schema] of Object.entries(schemaOf(operation).properties ?? {})) {
      assert.notDeepEqual(schema, {}, `${operation.name}: ${name} has no type in the reference`)
    }
  }
  assert.equal(new Set(operations.map(({ name }) => name)).size, operations.length)
})
