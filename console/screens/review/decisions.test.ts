import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decisionsOf, type Entry, openEntries } from './decisions.ts'

const entry = (subjectId: string, decisions: Entry['decisions']): Entry => ({
  subjectKind: 'database',
  subjectId,
  name: subjectId,
  reason: '',
  reasonCode: 'AsRecorded',
  decisions,
  proposal: decisions[0] ?? null,
})
const entries = [entry('equal', []), entry('moved', ['adopt', 'forget']), entry('removed', ['create', 'forget'])]

test('asks only about entries with decisions', () => {
  assert.deepEqual(
    openEntries({ entries }).map(({ subjectId }) => subjectId),
    ['moved', 'removed'],
  )
})

test('takes the choice of the person if it is possible, otherwise the proposal', () => {
  const chosen = { moved: 'forget', removed: 'leave', unknown: 'leave' } as const
  assert.deepEqual(decisionsOf(openEntries({ entries }), chosen), { moved: 'forget', removed: 'create' })
})
