/** The tags of all records, and If-Match for all operations. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { z } from 'zod'
import { methodOf, type Operation } from '../../src/api/contract.ts'
import { omittedFields } from '../../src/api/entity-tag.ts'
import { recordReads } from '../../src/api/precondition.ts'
import { kinds } from '../../src/kinds/index.ts'
import { mask } from '../../src/lib/crypto/mask.ts'
import { operations } from '../../src/operations.ts'
import { freshToken, startSweep } from '../sweep-berth.ts'
import { completeInput, type Known } from '../sweep-inputs.ts'

type Sweep = Awaited<ReturnType<Awaited<ReturnType<typeof startSweep>>['start']>>
type Input = Record<string, unknown>

const sweep = await startSweep()
after(() => sweep[Symbol.asyncDispose]())

const reads = recordReads(operations)
const ones = operations.filter(({ name }) => name.endsWith('.one'))
const other = '"0000000000000000000000"'

/** Edits of each type of record: the fields that change, and other fields that the operation needs. */
const edits: [operation: string, fields: Input, others?: Input][] = [
  ['project.update', { name: 'another' }],
  ['project.update', { description: 'another' }],
  ...kinds.flatMap(({ name, secrets }, at): [string, Input, Input?][] => [
    [`${name}.update`, { name: 'another' }],
    [`${name}.update`, { description: 'another' }],
    [`${name}.update`, { [secrets[0]!]: 'another-password' }],
    [`${name}.update`, { memoryLimit: 512 }],
    [`${name}.update`, { node: 'node2' }],
    [`${name}.saveEnvironment`, { env: 'A=2' }],
    [`${name}.saveExternalPort`, { externalPort: 16_000 + at }, { externalPort: null }],
  ]),
  ['backup.update', { keepLatest: 3 }],
  ['backup.update', { schedule: '0 4 * * *' }],
  ['destination.update', { region: 'eu-central-1' }],
  ['destination.update', { secretAccessKey: 'another' }],
  ['redirects.update', { replacement: '/another' }],
  ['port.update', { targetPort: 9000 }],
  // A password that is sent again is hashed again, so the stored hash differs.
  ['security.update', { username: 'another' }, { password: mask }],
  ['security.update', { password: 'another' }, { password: mask }],
  ['registry.update', { imagePrefix: 'another' }],
  ['auth.updateByAdmin', { image: 'https://example.org/a.png' }, { password: null }],
  ['auth.update', { image: 'https://example.org/b.png' }, { password: null }],
  ['state.schedule', { schedule: '0 5 * * *' }],
]

/** Starts a Berth with one record of each type. */
async function start() {
  const berth = await sweep.start()
  const { id, email } = await berth.admin()
  const known: Known = { ...sweep.known, id, email }
  const { status, body } = await berth.call('state.schedule', { ...known, schedule: '0 3 * * *' })
  assert.equal(status, 200, JSON.stringify(body))
  return { berth, known }
}

/** The tag of the record that the operation changes or reads. */
async function tagFor(berth: Sweep, { name }: Operation, known: Known, as?: string) {
  const one = ones.find((candidate) => candidate.name.split('.')[0] === name.split('.')[0])!
  const { status, body, headers } = await berth.call(one.name, completeInput(one, known), as)
  assert.equal(status, 200, `${one.name}: ${JSON.stringify(body)}`)
  return headers.etag
}

test('each operation <group>.one says which fields are no part of the tag, and these fields exist', () => {
  assert.ok(ones.length >= 15)
  for (const { name, tag, output } of ones) {
    assert.ok(tag !== undefined, name)
    for (const path of omittedFields(tag)) assert.ok(hasField(output, path.split('.')), `${name}: ${path}`)
  }
  const others = operations.filter(({ name, tag }) => tag !== undefined && !name.endsWith('.one'))
  assert.deepEqual(others, [])
})

function hasField(schema: z.ZodType, [name, ...rest]: string[]): boolean {
  if (schema instanceof z.ZodNullable) return hasField(schema.unwrap() as z.ZodType, [name!, ...rest])
  const field = schema instanceof z.ZodObject ? (schema.shape[name!] as z.ZodType | undefined) : undefined
  return field !== undefined && (rest.length === 0 || hasField(field, rest))
}

test('each change of a record that has a tag accepts If-Match', () => {
  const groups = ones.map(({ name }) => name.split('.')[0])
  const changes = operations.filter((it) => groups.includes(it.name.split('.')[0]!) && methodOf(it) === 'POST')
  const without = changes.filter(({ name }) => !reads.has(name)).map(({ name }) => name)
  const creates = groups.filter((group) => group !== 'auth' && group !== 'state').map((group) => `${group}.create`)
  assert.deepEqual(
    without.filter((name) => !creates.includes(name)),
    [
      'auth.createAdmin',
      'auth.createUser',
      'auth.login',
      'auth.logout',
      'auth.verifyToken',
      'auth.signIn',
      'auth.verifyLogin2FA',
      'auth.createToken',
      'auth.generateToken',
      'auth.revokeSession',
      'auth.revokeToken',
      'backup.createRedis',
      // This changes no record.
      'backup.url',
      // These change a run or the registry that Berth runs, and may change no record of the caller's choice.
      'backup.cancel',
      'backup.restore',
      'destination.testConnection',
      'registry.testRegistry',
      'registry.enableSelfHostedRegistry',
      'state.cancel',
    ],
  )
})

test('each record has a tag, which stays the same and is the same for all callers', async () => {
  const { berth, known } = await start()
  await using _ = berth
  const { body } = await berth.call('auth.createToken', { name: 'reader', scope: 'read' })
  for (const one of ones) {
    const tag = await tagFor(berth, one, known)
    assert.match(tag ?? '', /^"[\w-]{22}"$/, one.name)
    assert.equal(await tagFor(berth, one, known), tag, one.name)
    assert.equal(await tagFor(berth, one, known, body.accessToken as string), tag, one.name)
  }
})

test('a change with another tag is refused with the present tag, and writes nothing', async () => {
  const { berth, known } = await start()
  await using _ = berth
  for (const operation of operations.filter(({ name }) => reads.has(name))) {
    const [token, tag] = [await freshToken(berth, operation), await tagFor(berth, operation, known)]
    const before = berth.stored()
    const call = await berth.call(operation.name, completeInput(operation, known), token, { 'if-match': other })
    assert.deepEqual(
      [call.status, call.body.code, call.headers.etag],
      [412, 'PRECONDITION_FAILED', tag],
      `${operation.name}: ${JSON.stringify(call.body)}`,
    )
    assert.match(String(call.body.message), /Read it again with \w+\.one, and repeat the call/)
    assert.equal(berth.stored(), before, operation.name)
  }
})

test('an edit with the present tag succeeds, and answers the new tag', async () => {
  const { berth, known } = await start()
  await using _ = berth
  for (const [name, fields, others] of edits) {
    const operation = operations.find((it) => it.name === name)!
    const unchanged = { ...completeInput(operation, known), ...others }
    const edit = (input: Input, headers: Record<string, string>) => berth.call(name, input, undefined, headers)
    assert.equal((await edit(unchanged, {})).status, 200, name)
    const tag = await tagFor(berth, operation, known)
    assert.equal((await edit(unchanged, { 'if-match': tag! })).headers.etag, tag, `${name} changed nothing`)
    const { status, body, headers } = await edit({ ...unchanged, ...fields }, { 'if-match': `${other}, ${tag}` })
    const about = `${name} ${JSON.stringify(fields)}`
    assert.equal(status, 200, `${about}: ${JSON.stringify(body)}`)
    assert.notEqual(headers.etag, tag, about)
    assert.equal(headers.etag, await tagFor(berth, operation, known), about)
  }
})

test('If-Match: * accepts each state of a record, but not a record that does not exist', async () => {
  const { berth, known } = await start()
  await using _ = berth
  const any = { 'if-match': '*' }
  const { projectId } = known
  assert.equal((await berth.call('project.update', { projectId, name: 'a' }, undefined, any)).status, 200)
  assert.equal((await berth.call('project.update', { projectId: 'none', name: 'a' }, undefined, any)).status, 404)
  const removed = await berth.call('state.unschedule', {}, undefined, any)
  assert.deepEqual([removed.status, removed.headers.etag], [200, undefined], 'a removed record has no tag')
  const schedule = { destinationId: known.destinationId, schedule: '@daily' }
  assert.equal((await berth.call('state.schedule', schedule, undefined, any)).status, 404)
})

test('every other operation refuses If-Match and writes nothing', async () => {
  const { berth, known } = await start()
  await using _ = berth
  const { body: invitation } = await berth.call('user.invite', { email: 'invited@example.org' })
  for (const operation of operations.filter(({ name }) => !reads.has(name))) {
    const isInvited = operation.access === 'createUser'
    const token = isInvited ? (invitation.token as string) : await freshToken(berth, operation)
    const before = berth.stored()
    const { status, body } = await berth.call(operation.name, completeInput(operation, known), token, {
      'if-match': '*',
    })
    const paths = (body.issues as { path: string }[]).map(({ path }) => path)
    assert.deepEqual([status, paths], [400, ['If-Match']], `${operation.name}: ${JSON.stringify(body)}`)
    assert.equal(berth.stored(), before, operation.name)
  }
})
