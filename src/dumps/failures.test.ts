/** The reason that is stored for each error of a backup run. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineFailure, EngineUnavailable } from '../engine/failures.ts'
import { BrokenArchive } from '../kinds/backup.ts'
import { TooLarge } from '../lib/net/read-whole.ts'
import { AbandonedUpload, StorageFault } from '../lib/storage/faults.ts'
import type { RunReason } from './run-reason.ts'
import { NothingThere, RunFailure, runReasonOf, StateRefused } from './failures.ts'

const tooLarge = new TooLarge('The manifest', 1)
const brokenArchive = new BrokenArchive('cut off')
const storageFault = new StorageFault('rights', 'May not write')
const table: [what: string, error: Error, reason: RunReason][] = [
  ['a failure of the run', new RunFailure({ reason: 'DumpGone' }), { reason: 'DumpGone' }],
  ['an empty database', new NothingThere({ reason: 'DumpEmpty' }), { reason: 'DumpEmpty' }],
  ['a storage fault', storageFault, { reason: 'StorageFailed', fault: 'rights', detail: 'May not write' }],
  [
    'an upload that could not be aborted',
    new AbandonedUpload('id', new RunFailure({ reason: 'Cancelled' })),
    { reason: 'Cancelled' },
  ],
  [
    'an engine that does not answer',
    new EngineUnavailable('No answer'),
    { reason: 'EngineUnavailable', detail: 'No answer' },
  ],
  ['an engine failure', new EngineFailure('missing', 'No image'), { reason: 'EngineFailed', detail: 'No image' }],
  ['a damaged dump', brokenArchive, { reason: 'ArchiveBroken', detail: brokenArchive.message }],
  ['an unreadable backup of the state', new StateRefused('No key'), { reason: 'StateUnreadable', detail: 'No key' }],
  ['an answer that is too large', tooLarge, { reason: 'TooLarge', detail: tooLarge.message }],
  [
    'an unknown error, with its message cut to 2,000 characters',
    new Error('x'.repeat(3000)),
    { reason: 'Failed', detail: 'x'.repeat(2000) },
  ],
]
for (const [what, error, reason] of table) {
  test(`returns the reason of ${what}`, () => assert.deepEqual(runReasonOf(error), reason))
}

test('gives a failure the message of its reason', () => {
  assert.equal(new RunFailure({ reason: 'ServiceStopped' }).message, 'The service is stopped')
})
