/** The result of a drill as one of three states, and the result that a dump shows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunReason } from '../../dumps/run-reason.ts'
import { toJson } from '../../lib/json.ts'
import type { RunStatus } from '../table.ts'
import { shownVerification, verificationOf } from './verification.ts'

const cases: [status: RunStatus, reason: RunReason | null, state: string | null][] = [
  ['done', { reason: 'RestoredEqual', tables: 1, rows: 2 }, 'verified'],
  ['done', { reason: 'NotVerifiable', needs: ['crm'] }, 'notVerifiable'],
  ['done', { reason: 'MemoryMissing', neededMib: 2, availableMib: 1 }, 'notVerifiable'],
  ['error', { reason: 'ContentDiffers', differences: ['x'] }, 'failed'],
  ['error', { reason: 'ForeignRecipient', recipient: 'age1' }, 'notVerifiable'],
  ['error', { reason: 'Cancelled' }, null],
  ['skipped', { reason: 'NothingToVerify' }, null],
  ['running', null, null],
  ['waiting', { reason: 'EngineUnavailable', detail: '' }, null],
]
for (const [status, reason, state] of cases) {
  test(`a drill that is ${status} with the reason ${reason?.reason ?? 'null'} is ${state ?? 'no result'}`, () => {
    const row = { status, reason: reason === null ? null : toJson(reason) }
    assert.equal(verificationOf(row)?.state ?? null, state)
  })
}

test('a dump shows its last drill, also one that an older version of Berth made', () => {
  const dump = { action: 'dump', status: 'done', reason: null, verification: null, verifiedAt: null } as const
  const failed = { state: 'failed', reason: { reason: 'ObjectChanged' } } as const
  assert.equal(shownVerification(dump), null)
  assert.deepEqual(shownVerification({ ...dump, verifiedAt: '2026-11-28T00:00:00.000Z' }), {
    state: 'verified',
    reason: null,
  })
  assert.deepEqual(shownVerification({ ...dump, verifiedAt: '2026-11-28', verification: toJson(failed) }), failed)
})
