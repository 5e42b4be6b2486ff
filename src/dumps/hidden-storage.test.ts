import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromJson, toJson } from '../lib/json.ts'
import { withoutStorage } from './hidden-storage.ts'
import { runReasonMessage } from './run-reason-message.ts'
import type { RunReason } from './run-reason.ts'

const detail = 's3.example.org refused the connection'
const storage: RunReason = { reason: 'StorageFailed', fault: 'refused', detail }

const cases: RunReason[] = [
  storage,
  { reason: 'OlderDumpNotDeleted', detail },
  { reason: 'LoadFailed', safetyRunId: null, isAtomic: true, cause: storage },
  { reason: 'ScratchServerEnded', exitCode: 1, detail: '', cause: storage },
  { reason: 'Legacy', message: detail },
]

for (const reason of cases) {
  test(`hides the storage in ${reason.reason}${'cause' in reason ? ' and in its cause' : ''}`, () => {
    const hidden = fromJson(withoutStorage(toJson<RunReason>(reason)))
    assert.equal(hidden.reason, reason.reason)
    assert.doesNotMatch(runReasonMessage(hidden), /example/)
    assert.match(runReasonMessage(hidden), /The storage of the destination failed/)
  })
}

test('changes no other reason', () => {
  const reason: RunReason = { reason: 'ContentDiffers', differences: ['StorageFailed', detail] }
  assert.deepEqual(fromJson(withoutStorage(toJson<RunReason>(reason))), reason)
  assert.equal(withoutStorage(null), null)
})
