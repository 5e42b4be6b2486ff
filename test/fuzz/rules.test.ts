/** Tests that each rule finds violations. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../src/operations.ts'
import type { Call } from './calls.ts'
import { findingsIn } from './rules.ts'

interface Content {
  input?: object
  body?: object
}

const call = (operation: string, status: number, { input = {}, body = {} }: Content = {}): Call => ({
  operation,
  status,
  method: 'POST',
  input: { ...input },
  body: JSON.stringify(body),
  curl: 'curl',
})
const rulesIn = (...calls: Call[]) => findingsIn(calls, operations, new Set(['kept'])).map(({ rule }) => rule)

const record = (projectId: string) => ({ input: { projectId }, body: { projectId } })
const [created, read, removed] = [
  call('project.create', 200, record('a')),
  call('project.one', 200, record('a')),
  call('project.remove', 200, record('a')),
]
const missing = call('project.one', 404, record('a'))

test('requires that a created record exists until its removal', () => {
  assert.deepEqual(rulesIn(created, read, removed, missing), [])
  assert.deepEqual(rulesIn(created, missing), ['a created record must exist until its removal'])
  assert.deepEqual(rulesIn(created, removed, read), ['a removed record must not exist'])
})

test('allows that a record is removed with its project, and that a removed record is restored by the run', () => {
  const service = { input: { postgresId: 'b' }, body: { postgresId: 'b' } }
  const [create, one] = [call('postgres.create', 200, service), call('postgres.one', 404, service)]
  const cascade = call('project.remove', 200, { body: { projectId: 'a', postgres: [{ postgresId: 'b' }] } })
  assert.deepEqual(rulesIn(create, cascade, one), [])
  assert.deepEqual(rulesIn(call('project.remove', 200, record('kept')), call('project.one', 200, record('kept'))), [])
})

test('allows 502, 503 and 504 only for operations that declare them', () => {
  assert.deepEqual(rulesIn(call('registry.create', 502), call('destination.testConnection', 504)), [])
  assert.equal(rulesIn(call('postgres.logs', 503), call('project.create', 502), call('', 503)).length, 3)
})
