/** The rules that a run is held to can be broken. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../src/operations.ts'
import type { Call } from './calls.ts'
import { findingsIn } from './verdicts.ts'

interface Said {
  input?: object
  body?: object
}

const call = (operation: string, status: number, { input = {}, body = {} }: Said = {}): Call => ({
  operation,
  status,
  method: 'POST',
  input: { ...input },
  body: JSON.stringify(body),
  curl: 'curl',
})
const rulesIn = (...calls: Call[]) => findingsIn(calls, operations, new Set(['kept'])).map(({ rule }) => rule)

const record = (projectId: string) => ({ input: { projectId }, body: { projectId } })
const [made, read, removed] = [
  call('project.create', 200, record('a')),
  call('project.one', 200, record('a')),
  call('project.remove', 200, record('a')),
]
const missing = call('project.one', 404, record('a'))

test('what was made is there, and what was removed is not', () => {
  assert.deepEqual(rulesIn(made, read, removed, missing), [])
  assert.deepEqual(rulesIn(made, missing), ['it was made and not removed'])
  assert.deepEqual(rulesIn(made, removed, read), ['it was removed'])
})

test('what went with its project may be missing, and what the run puts back may be there', () => {
  const service = { input: { postgresId: 'b' }, body: { postgresId: 'b' } }
  const [create, one] = [call('postgres.create', 200, service), call('postgres.one', 404, service)]
  const cascade = call('project.remove', 200, { body: { projectId: 'a', postgres: [{ postgresId: 'b' }] } })
  assert.deepEqual(rulesIn(create, cascade, one), [])
  assert.deepEqual(rulesIn(call('project.remove', 200, record('kept')), call('project.one', 200, record('kept'))), [])
})

test('only whoever asks somebody else may say that nobody answers', () => {
  assert.deepEqual(rulesIn(call('registry.create', 502), call('destination.testConnection', 504)), [])
  assert.equal(rulesIn(call('postgres.logs', 503), call('project.create', 502), call('', 503)).length, 3)
})
