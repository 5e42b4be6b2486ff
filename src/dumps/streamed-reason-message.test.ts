/** The sentences that say why a dump went through Berth. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toJson } from '../lib/json.ts'
import type { StreamedReason } from './streamed-reason.ts'
import { streamedAnswer, streamedReasonNames } from './streamed-reason-message.ts'

const reasons: StreamedReason[] = [
  { reason: 'StorageLocal' },
  { reason: 'NoContainer' },
  { reason: 'WorkerImageMissing', image: 'node:26-slim', detail: 'no registry' },
  { reason: 'NodeUnreachable', detail: 'web-2 does not answer' },
  { reason: 'WorkerFailed', detail: 'exit code 127' },
  { reason: 'StorageUnreachable', fault: 'refused', detail: 'No route' },
]

test('every reason has a sentence with its parameters', () => {
  assert.deepEqual(reasons.map(({ reason }) => reason).sort(), [...streamedReasonNames].sort())
  for (const reason of reasons) {
    const answer = streamedAnswer(toJson(reason))!
    assert.equal(answer.reason, reason.reason)
    assert.ok(!('detail' in reason) || answer.message.includes(reason.detail))
  }
  assert.equal(streamedAnswer(null), null)
})
