/**
 * Tests over all operations, generated from their declarations. A refusal names the field and writes nothing. No input
 * causes a 500.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isSignIn } from '../src/api/access.ts'
import { methodOf, type Operation } from '../src/api/contract.ts'
import { statusOf } from '../src/errors.ts'
import { operations } from '../src/operations.ts'
import type { Reply } from './fixtures/harness.ts'
import { freshToken, startSweep } from './sweep-berth.ts'
import { hostileInputs, requiredOf, schemaOf, unknownId, completeInput } from './sweep-inputs.ts'

/** Whether the operation verifies a password, code or invitation. A wrong one gets 401 too. */
const verifiesSecrets = ({ name, access }: Operation) => isSignIn(access) || name === 'auth.verify2FASetup'

/** Whether a call can sign out, or use an attempt of a challenge, so that its token is not accepted again. */
const endsTokens = (operation: Operation) =>
  methodOf(operation) !== 'GET' && ['auth', 'user'].includes(operation.name.split('.', 1)[0]!)

const sweep = await startSweep()
after(() => sweep[Symbol.asyncDispose]())

test('a wrong method gets 405 with Allow and writes nothing', async () => {
  await using berth = await sweep.start()
  const { token } = await berth.admin()
  const before = berth.stored()
  for (const operation of operations) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const) {
      if (method === methodOf(operation)) continue
      const response = await berth.server.inject({
        method,
        url: `/api/${operation.name}`,
        headers: { authorization: `Bearer ${token}` },
      })
      assert.deepEqual(
        [response.statusCode, response.headers.allow],
        [405, methodOf(operation)],
        `${method} ${operation.name}`,
      )
    }
  }
  assert.equal(berth.stored(), before)
})

test('each missing field gets one issue, and nothing is written', async () => {
  await using berth = await sweep.start()
  for (const operation of operations.filter((it) => requiredOf(it).length > 0)) {
    const token = await freshToken(berth, operation)
    const before = berth.stored()
    const { status, body } = await berth.call(operation.name, {}, token)
    assert.equal(berth.stored(), before)
    assert.equal(status, 400, operation.name)
    const issuePaths = (body.issues as { path: string }[]).map(({ path }) => path)
    assert.deepEqual(issuePaths.toSorted(), requiredOf(operation).toSorted(), operation.name)
  }
})

test('an unknown id gets 404 and writes nothing', async () => {
  await using berth = await sweep.start()
  const before = berth.stored()
  const swept: string[] = []
  for (const operation of operations.filter(({ refusals = [] }) => refusals.includes('NOT_FOUND'))) {
    const input = completeInput(operation, sweep.known)
    const ids = Object.keys(input).filter((name) => name === 'id' || name.endsWith('Id'))
    for (const id of ids) {
      const { status, body } = await berth.call(operation.name, { ...input, [id]: unknownId })
      assert.deepEqual(
        [status, body.code],
        [404, 'NOT_FOUND'],
        `${operation.name} with an unknown ${id}: ${JSON.stringify(body)}`,
      )
      swept.push(`${operation.name} ${id}`)
    }
  }
  assert.ok(swept.length > 0)
  assert.equal(berth.stored(), before)
})

for (const operation of operations) {
  test(`${operation.name} accepts hostile input or refuses its field, and never answers 500`, async () => {
    await using berth = await sweep.start()
    let token = await freshToken(berth, operation)
    let before = berth.stored()
    for (const { field, value, input } of hostileInputs(operation, sweep.known)) {
      const reply = await berth.call(operation.name, input, token)
      const body = JSON.stringify(reply.body).slice(0, 300)
      const description = `${field} = ${JSON.stringify(value)?.slice(0, 60)}: ${reply.status} ${body}`
      checkReply(operation, field, reply, description)
      const after = berth.stored()
      if (reply.status !== 200) assert.equal(after, before, `the call was refused, but wrote: ${description}`)
      before = after
      if (!endsTokens(operation) || ![200, 401, 429].includes(reply.status)) continue
      token = await freshToken(berth, operation)
      before = berth.stored()
    }
    assert.deepEqual(
      berth.logged.filter(({ event }) => event === 'defect'),
      [],
    )
  })
}

function checkReply(operation: Operation, field: string, { status, body }: Reply, description: string) {
  const operationCodes = [
    ...(verifiesSecrets(operation) ? [401] : []),
    ...(operation.type === 'inspect' ? [502, 503, 504] : []),
    ...(operation.refusals ?? []).map((code) => statusOf[code]),
  ]
  const declared = [200, 400, ...operationCodes, 404, 409, 412, 422, 429]
  assert.ok(declared.includes(status), description)
  if (status !== 400) return
  const issues = body.issues as { path: string; message: string }[]
  assert.ok(
    issues.length > 0 && issues.every(({ path }) => path === field || path.startsWith(`${field}.`)),
    description,
  )
  assert.ok(
    issues.every(({ message }) => message.length > 0 && message.length < 500),
    description,
  )
}

test('every operation has a group, a summary and fields with types', () => {
  for (const operation of operations) {
    assert.match(operation.name, /^[a-z][A-Za-z0-9]*\.[a-z][A-Za-z0-9]*$/)
    assert.match(operation.summary, /^[A-Z].*[^.]$/, operation.name)
    for (const [name, schema] of Object.entries(schemaOf(operation).properties ?? {})) {
      assert.notDeepEqual(schema, {}, `${operation.name}: ${name} has no type in the reference`)
    }
  }
  assert.equal(new Set(operations.map(({ name }) => name)).size, operations.length)
})
