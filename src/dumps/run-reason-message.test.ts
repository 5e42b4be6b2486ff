import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toJson } from '../lib/json.ts'
import type { RunReason } from './run-reason.ts'
import { runReasonAnswer, runReasonMessage, runReasonNames } from './run-reason-message.ts'

const ended = { tool: 'pg_dump', exitCode: 1, outOfMemory: false, detail: 'permission denied' }
const load = { safetyRunId: 'S', isAtomic: false }
const failedLoad = { reason: 'LoadFailed', ...load, cause: { reason: 'Failed', detail: 'The disk is full.' } } as const
const scratch = { reason: 'ScratchServerEnded', exitCode: 137, detail: 'Killed' } as const

const table: { [R in RunReason['reason']]: [reason: Extract<RunReason, { reason: R }>, message: RegExp][] } = {
  MissedSchedule: [
    [{ reason: 'MissedSchedule', dueAt: 'T' }, /^It was due at T, more than a day ago: Berth did not run/],
  ],
  PreviousRunOpen: [[{ reason: 'PreviousRunOpen', runId: 'R' }, /^The run R before it was still under way$/]],
  NothingToVerify: [[{ reason: 'NothingToVerify' }, /^There is no dump that could be verified$/]],
  ServiceRemoved: [[{ reason: 'ServiceRemoved' }, /^The service was removed$/]],
  ServiceNotDeployed: [[{ reason: 'ServiceNotDeployed' }, /^The service was never deployed$/]],
  ServiceStopped: [[{ reason: 'ServiceStopped' }, /^The service is stopped$/]],
  ServiceStoppedMeanwhile: [[{ reason: 'ServiceStoppedMeanwhile' }, /^The service was stopped$/]],
  ServiceDown: [[{ reason: 'ServiceDown' }, /^The service does not run at the moment$/]],
  ServiceNotUp: [[{ reason: 'ServiceNotUp', detail: 'Image not found' }, /^It is not up: Image not found$/]],
  ServiceNotUpInTime: [[{ reason: 'ServiceNotUpInTime' }, /^The service did not come up in time$/]],
  LoginRefused: [
    [{ reason: 'LoginRefused', detail: 'Wrong password' }, /^Wrong password$/],
    [{ reason: 'LoginRefused', detail: null }, /^The service takes no login$/],
  ],
  DataNotCompared: [[{ reason: 'DataNotCompared' }, /its data is not compared yet\. Try again$/]],
  ContainerReplaced: [[{ reason: 'ContainerReplaced' }, /^Its container was started anew meanwhile$/]],
  ToolFailed: [
    [{ reason: 'ToolFailed', ...ended }, /^pg_dump ended with exit code 1\. permission denied$/],
    [{ reason: 'ToolFailed', ...ended, outOfMemory: true, detail: '' }, /^pg_dump was out of memory\.$/],
  ],
  DatabaseMissing: [[{ reason: 'DatabaseMissing', ...ended, exitCode: 66 }, /^pg_dump ended with exit code 66\. /]],
  DumpEmpty: [[{ reason: 'DumpEmpty' }, /^The dump is empty: .* backup\.update changes its name$/]],
  ObjectDiffers: [
    [{ reason: 'ObjectDiffers', receivedBytes: 3, sentBytes: 4 }, /gave back 3 bytes other than the 4 that were sent$/],
  ],
  OlderDumpNotDeleted: [
    [{ reason: 'OlderDumpNotDeleted', detail: 'Away' }, /^It is good, but an older one could not be deleted: Away$/],
  ],
  RestoredEqual: [[{ reason: 'RestoredEqual', tables: 2, rows: 30 }, /^Restored and equal: 2 tables with 30 rows$/]],
  DumpGone: [[{ reason: 'DumpGone' }, /^The dump is no longer there$/]],
  ObjectChanged: [[{ reason: 'ObjectChanged' }, /^The object in the storage is not the one that was sent$/]],
  ForeignRecipient: [[{ reason: 'ForeignRecipient', recipient: 'age1x' }, /^The dump is encrypted for age1x, and/]],
  ContentDiffers: [
    [{ reason: 'ContentDiffers', differences: ['A', 'B'] }, /^What was restored is not what was dumped\. A\. B$/],
  ],
  ManifestDiffers: [
    [{ reason: 'ManifestDiffers', differences: [] }, /^The manifest in the storage is not the one that was written$/],
    [{ reason: 'ManifestDiffers', differences: ['A'] }, /not the one that was written\. A$/],
  ],
  ScratchServerEnded: [
    [{ ...scratch, cause: null }, /^The scratch server ended with exit code 137\. Killed$/],
    [{ ...scratch, cause: { reason: 'ToolFailed', ...ended } }, /^pg_dump ended .* denied\. The scratch server ended/],
  ],
  DestinationRemoved: [[{ reason: 'DestinationRemoved' }, /^The destination was removed$/]],
  StorageFailed: [[{ reason: 'StorageFailed', fault: 'rights', detail: 'May not write' }, /^May not write$/]],
  LoadInterrupted: [
    [{ reason: 'LoadInterrupted', ...load }, /never begun again.*may hold a part.*backup\.restore with runId S and/],
  ],
  LoadFailed: [
    [failedLoad, /^The disk is full\. The database may hold a part of the dump\. What it held before is in the safety/],
    [{ ...failedLoad, isAtomic: true, safetyRunId: null }, /The database holds what it held before.* No safety dump/],
  ],
  ToolIdle: [[{ reason: 'ToolIdle', seconds: 600 }, /^The tool gave and took no byte for 600 seconds, and was ended/]],
  TookTooLong: [[{ reason: 'TookTooLong', seconds: 1 }, /^The run was not over after 1 second, and was ended/]],
  Cancelled: [[{ reason: 'Cancelled' }, /^It was ended by backup\.cancel$/]],
  InterruptedTooOften: [[{ reason: 'InterruptedTooOften', times: 6 }, /^Berth ended 6 times while this run was under/]],
  InterruptedByRestore: [[{ reason: 'InterruptedByRestore' }, /nobody knows how it ended/]],
  EngineUnavailable: [[{ reason: 'EngineUnavailable', detail: 'No answer' }, /^No answer$/]],
  EngineFailed: [[{ reason: 'EngineFailed', detail: 'No such image' }, /^No such image$/]],
  ArchiveBroken: [[{ reason: 'ArchiveBroken', detail: 'It is cut off' }, /^It is cut off$/]],
  StateUnreadable: [[{ reason: 'StateUnreadable', detail: 'Another key' }, /^Another key$/]],
  TooLarge: [[{ reason: 'TooLarge', detail: 'The manifest is too large' }, /^The manifest is too large$/]],
  Failed: [[{ reason: 'Failed', detail: 'Something' }, /^Something$/]],
  Legacy: [[{ reason: 'Legacy', message: 'As it was told then' }, /^As it was told then$/]],
}

for (const [name, cases] of Object.entries(table)) {
  test(`renders ${name}`, () => {
    for (const [reason, message] of cases) assert.match(runReasonMessage(reason), message)
  })
}

test('an answer has the message and the name of the reason', () => {
  assert.deepEqual(runReasonAnswer(null), { reason: null, reasonCode: null })
  const answer = runReasonAnswer(toJson<RunReason>({ reason: 'ServiceStopped' }))
  assert.deepEqual(answer, { reason: 'The service is stopped', reasonCode: 'ServiceStopped' })
  assert.deepEqual(Object.keys(table).sort(), runReasonNames.toSorted())
})
