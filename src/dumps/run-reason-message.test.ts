/** The sentence for each reason of a run, and the fields of an answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toJson } from '../lib/json.ts'
import type { RunReason } from './run-reason.ts'
import { runReasonAnswer, runReasonMessage, runReasonNames } from './run-reason-message.ts'

const ended = { tool: 'pg_dump', exitCode: 1, outOfMemory: false, detail: 'permission denied' }
const load = { safetyRunId: 'S', data: 'replaced' } as const
const failedLoad = { reason: 'LoadFailed', ...load, cause: { reason: 'Failed', detail: 'The disk is full.' } } as const
const missingImage = { reason: 'ImageMissing', image: 'x', detail: null } as const
const scratch = { reason: 'ScratchServerEnded', exitCode: 137, detail: 'Killed' } as const

const table: { [R in RunReason['reason']]: [reason: Extract<RunReason, { reason: R }>, message: RegExp][] } = {
  MissedSchedule: [
    [
      { reason: 'MissedSchedule', dueAt: 'T' },
      /^Skipped: the run was due at T, more than a day ago\. Berth was not running/,
    ],
  ],
  PreviousRunOpen: [[{ reason: 'PreviousRunOpen', runId: 'R' }, /^Skipped: the previous run R was still under way$/]],
  NothingToVerify: [[{ reason: 'NothingToVerify' }, /^Skipped: there is no dump that Berth can verify$/]],
  ServiceRemoved: [[{ reason: 'ServiceRemoved' }, /^The service was removed$/]],
  ServiceNotDeployed: [[{ reason: 'ServiceNotDeployed' }, /^The service was never deployed$/]],
  ServiceStopped: [[{ reason: 'ServiceStopped' }, /^The service is stopped$/]],
  ServiceStoppedMeanwhile: [[{ reason: 'ServiceStoppedMeanwhile' }, /^The service was stopped$/]],
  ServiceDown: [[{ reason: 'ServiceDown' }, /^The service is not running at the moment$/]],
  ServiceNotUp: [
    [
      { reason: 'ServiceNotUp', cause: missingImage },
      /^The service did not start: Image not found \(No such image: x\)$/,
    ],
    [{ reason: 'ServiceNotUp', cause: null }, /^The service did not start$/],
  ],
  ServiceNotUpInTime: [[{ reason: 'ServiceNotUpInTime' }, /^The service did not start in time$/]],
  LoginRefused: [
    [
      { reason: 'LoginRefused', cause: { reason: 'LoginRefused', detail: 'FATAL', isFirstStart: false } },
      /rejects the stored user or password: FATAL$/,
    ],
    [{ reason: 'LoginRefused', cause: null }, /^The service refuses logins$/],
  ],
  DataNotCompared: [[{ reason: 'DataNotCompared' }, /Berth has not verified its data yet\. Try again$/]],
  ContainerReplaced: [
    [{ reason: 'ContainerReplaced' }, /^The container of the service was replaced during the dump\. Try again$/],
  ],
  DataOutsideVolume: [
    [
      {
        reason: 'DataOutsideVolume',
        volume: 'berth-v',
        folder: '/data',
        places: [{ path: '/srv/a', target: '/srv/a' }],
        more: 0,
        isFirstStart: false,
      },
      /^The server keeps data outside its volume, in \/srv\/a\. The next restart would delete this data\. /,
    ],
  ],
  ToolFailed: [
    [{ reason: 'ToolFailed', ...ended }, /^pg_dump ended with exit code 1\. permission denied$/],
    [{ reason: 'ToolFailed', ...ended, outOfMemory: true, detail: '' }, /^pg_dump ran out of memory\.$/],
  ],
  DatabaseMissing: [[{ reason: 'DatabaseMissing', ...ended, exitCode: 66 }, /^pg_dump ended with exit code 66\. /]],
  DumpEmpty: [[{ reason: 'DumpEmpty' }, /^The dump is empty, .*\. Check the name of the database$/]],
  ObjectDiffers: [
    [
      { reason: 'ObjectDiffers', receivedBytes: 3, sentBytes: 4 },
      /^The 3 bytes that were read back differ from the 4 bytes that were uploaded$/,
    ],
  ],
  OlderDumpNotDeleted: [
    [
      { reason: 'OlderDumpNotDeleted', detail: 'No right' },
      /^The dump is good, but an older one could not be deleted: No right$/,
    ],
  ],
  RestoredEqual: [[{ reason: 'RestoredEqual', tables: 2, rows: 30 }, /^Restored and equal: 2 tables with 30 rows$/]],
  NameNotFound: [
    [
      {
        ...ended,
        reason: 'NameNotFound',
        missing: 'function unaccent(text)',
        routine: '"my ""app".slug(text)',
        object: 'column public.p.s',
      },
      /^The function "my ""app"\.slug\(text\), which the column public\.p\.s needs, uses .* SET search_path = "my ""app", and/,
    ],
    [
      { ...ended, reason: 'NameNotFound', missing: 'relation t', routine: 'slug', object: null },
      /^The function slug uses the relation t without .* ALTER FUNCTION slug SET search_path = public,/,
    ],
  ],
  LocksExhausted: [
    [{ ...ended, reason: 'LocksExhausted' }, /berth set NAME --command '-c max_locks_per_transaction=512'/],
  ],
  ReadRefused: [
    [
      { ...ended, reason: 'ReadRefused', object: 'table q', role: 'lo"w', right: 'pg_read_all_data' },
      /^The role lo"w must not read the table q\. Give it the right: GRANT pg_read_all_data TO "lo""w"\. pg_dump ended/,
    ],
    [
      { ...ended, reason: 'ReadRefused', object: 'table q', role: 'low', right: 'BYPASSRLS' },
      /: ALTER ROLE "low" BYPASSRLS\./,
    ],
  ],
  MemoryMissing: [
    [
      { reason: 'MemoryMissing', neededMib: 512, availableMib: 100 },
      /^Not verifiable now: .* needs 512 MiB .* 100 MiB that/,
    ],
  ],
  RestartNeeded: [[{ reason: 'RestartNeeded', part: 'pg_cron' }, /^The data is restored, but pg_cron .* berth reload/]],
  NotVerifiable: [[{ reason: 'NotVerifiable', needs: ['crm', 'erp'] }, /^Not verifiable: needs crm, erp\. Objects of/]],
  DatabasesMissing: [
    [
      { reason: 'DatabasesMissing', databases: ['crm'] },
      /^Nothing was changed: views of the dump need the databases crm,/,
    ],
  ],
  DumpGone: [[{ reason: 'DumpGone' }, /^The dump does not exist any more$/]],
  ObjectChanged: [[{ reason: 'ObjectChanged' }, /^The object in the storage differs from the uploaded one$/]],
  ForeignRecipient: [[{ reason: 'ForeignRecipient', recipient: 'age1x' }, /^The dump is encrypted for age1x, and/]],
  ContentDiffers: [
    [
      { reason: 'ContentDiffers', differences: ['A', 'B'] },
      /^The restored content differs from the dumped content\. A\. B$/,
    ],
  ],
  ManifestDiffers: [
    [{ reason: 'ManifestDiffers', differences: [] }, /^The manifest in the storage differs from the uploaded one$/],
    [{ reason: 'ManifestDiffers', differences: ['A'] }, /differs from the uploaded one\. A$/],
  ],
  ScratchServerEnded: [
    [{ ...scratch, cause: null }, /^The scratch server ended with exit code 137\. Killed$/],
    [{ ...scratch, cause: { reason: 'ToolFailed', ...ended } }, /^pg_dump ended .* denied\. The scratch server ended/],
  ],
  SpaceMissing: [
    [
      { reason: 'SpaceMissing', node: 'web-2', neededBytes: 20, freeBytes: 10 },
      /^Nothing was changed: .* about 20 free bytes on node web-2, where 10 are free\. Free some space/,
    ],
  ],
  DestinationRemoved: [[{ reason: 'DestinationRemoved' }, /^The destination was removed$/]],
  StorageFailed: [[{ reason: 'StorageFailed', fault: 'rights', detail: 'May not write' }, /^May not write$/]],
  LoadInterrupted: [
    [
      { reason: 'LoadInterrupted', ...load },
      /never repeats.*has the content of the dump.*backup\.restore with runId S and/,
    ],
  ],
  LoadFailed: [
    [
      failedLoad,
      /^The disk is full\. The database has the content of the dump\. The safety dump S has the previous content/,
    ],
    [{ ...failedLoad, data: 'unchanged' }, /^The disk is full\. The data of the database is unchanged\.$/],
    [{ ...failedLoad, data: 'unknown', safetyRunId: null }, /, or a part of it\. There is no safety dump/],
  ],
  AwaitingServer: [
    [
      { reason: 'AwaitingServer', since: '', cause: { reason: 'Cancelled' } },
      /^The run was cancelled\. Berth waits for/,
    ],
  ],
  VolumeNotReplaced: [
    [{ reason: 'VolumeNotReplaced', cause: null }, /did not start on its new volume$/],
    [{ reason: 'VolumeNotReplaced', cause: { reason: 'RestoreStopped' } }, /^The run of the restore was ended$/],
  ],
  ToolIdle: [
    [{ reason: 'ToolIdle', seconds: 600 }, /^Berth ended the tool, because it transferred no data for 600 seconds/],
  ],
  TookTooLong: [[{ reason: 'TookTooLong', seconds: 1 }, /^Berth ended the run after 1 second, its time limit/]],
  Cancelled: [[{ reason: 'Cancelled' }, /^The run was cancelled$/]],
  InterruptedTooOften: [[{ reason: 'InterruptedTooOften', times: 6 }, /^Berth ended 6 times during this run/]],
  InterruptedByRestore: [[{ reason: 'InterruptedByRestore' }, /the outcome of the run is unknown/]],
  EngineUnavailable: [[{ reason: 'EngineUnavailable', detail: 'No answer' }, /^No answer$/]],
  EngineFailed: [[{ reason: 'EngineFailed', detail: 'No such image' }, /^No such image$/]],
  ArchiveBroken: [[{ reason: 'ArchiveBroken', detail: 'The dump is cut off' }, /^The dump is cut off$/]],
  StateUnreadable: [[{ reason: 'StateUnreadable', detail: 'Another key' }, /^Another key$/]],
  TooLarge: [[{ reason: 'TooLarge', detail: 'The manifest is too large' }, /^The manifest is too large$/]],
  Failed: [[{ reason: 'Failed', detail: 'Something' }, /^Something$/]],
  Legacy: [[{ reason: 'Legacy', message: 'An old message' }, /^An old message$/]],
}

for (const [name, cases] of Object.entries(table)) {
  test(`renders the reason ${name}`, () => {
    for (const [reason, message] of cases) assert.match(runReasonMessage(reason), message)
  })
}

test('answers the message and the code of a reason', () => {
  assert.deepEqual(runReasonAnswer(null), { reason: null, reasonCode: null })
  const answer = runReasonAnswer(toJson<RunReason>({ reason: 'ServiceStopped' }))
  assert.deepEqual(answer, { reason: 'The service is stopped', reasonCode: 'ServiceStopped' })
  assert.deepEqual(Object.keys(table).sort(), runReasonNames.toSorted())
})
