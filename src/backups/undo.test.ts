/** Which safety dump undoes the last restore, as a table. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noUndoMessage } from './undo-message.ts'
import { type NoUndo, undoOf } from './undo.ts'

const restoredAt = '2026-11-22T10:02:00.000Z'
const restore = { createdAt: restoredAt, safety: null, safetyRunId: 's' } as const
const good = { status: 'done', key: 'k' } as const

test('the last restore is undone by its safety dump as long as that exists', () => {
  assert.equal(undoOf(restore, good), good)
})

const without: [Parameters<typeof undoOf>[0], Parameters<typeof undoOf>[1], NoUndo, RegExp][] = [
  [undefined, undefined, { reason: 'NothingReplaced' }, /nothing to undo/],
  [restore, { status: 'done', key: null }, { reason: 'SafetyDumpDeleted', restoredAt }, /deleted/],
  [restore, undefined, { reason: 'SafetyDumpDeleted', restoredAt }, /deleted/],
  [restore, { status: 'error', key: null }, { reason: 'SafetyDumpDeleted', restoredAt }, /deleted/],
  ...(['TargetEmpty', 'NotWanted'] as const).map(
    (cause) =>
      [
        { ...restore, safety: cause, safetyRunId: null },
        undefined,
        { reason: 'NotMade', restoredAt, cause },
        cause === 'TargetEmpty' ? /was empty/ : /caller asked/,
      ] satisfies (typeof without)[number],
  ),
]

for (const [last, dump, reason, text] of without) {
  test(`says why nothing undoes the restore: ${JSON.stringify([last?.safety, dump, reason.reason])}`, () => {
    assert.deepEqual(undoOf(last, dump), reason)
    assert.match(noUndoMessage(reason), text)
    assert.match(noUndoMessage(reason), /backup\.runs lists/)
  })
}
