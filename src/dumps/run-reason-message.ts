/** Renders the stored reasons of backup runs as sentences for people. No decision depends on the sentences. Pure. */
import { type Messages, reasonNames } from '../deployments/reason-message.ts'
import { fromJson, type Json } from '../lib/json.ts'
import type {
  DrillReason,
  DumpReason,
  LoadReason,
  RunReason,
  ServiceReason,
  SkipReason,
  ToolEnd,
} from './run-reason.ts'

const skipMessages: Messages<SkipReason> = {
  MissedSchedule: ({ dueAt }) => `It was due at ${dueAt}, more than a day ago: Berth did not run, or the clock was set`,
  PreviousRunOpen: ({ runId }) => `The run ${runId} before it was still under way`,
  NothingToVerify: () => 'There is no dump that could be verified',
}

const serviceMessages: Messages<ServiceReason> = {
  ServiceRemoved: () => 'The service was removed',
  ServiceNotDeployed: () => 'The service was never deployed',
  ServiceStopped: () => 'The service is stopped',
  ServiceStoppedMeanwhile: () => 'The service was stopped',
  ServiceDown: () => 'The service does not run at the moment',
  ServiceNotUp: ({ detail }) => `It is not up: ${detail}`,
  ServiceNotUpInTime: () => 'The service did not come up in time',
  LoginRefused: ({ detail }) => detail ?? 'The service takes no login',
  DataNotCompared: () => 'Its container was just started, and its data is not compared yet. Try again',
  ContainerReplaced: () => 'Its container was started anew meanwhile',
}

const toolMessage = ({ tool, exitCode, outOfMemory, detail }: ToolEnd) =>
  `${tool} ${outOfMemory ? 'was out of memory' : `ended with exit code ${exitCode}`}. ${detail}`.trimEnd()

const dumpMessages: Messages<DumpReason> = {
  ToolFailed: toolMessage,
  DatabaseMissing: toolMessage,
  DumpEmpty: () => 'The dump is empty: there is no such database, or nothing in it. backup.update changes its name',
  ObjectDiffers: ({ receivedBytes, sentBytes }) =>
    `The storage gave back ${receivedBytes} bytes other than the ${sentBytes} that were sent`,
  OlderDumpNotDeleted: ({ detail }) => `It is good, but an older one could not be deleted: ${detail}`,
}

const drillMessages: Messages<DrillReason> = {
  RestoredEqual: ({ tables, rows }) => `Restored and equal: ${tables} tables with ${rows} rows`,
  DumpGone: () => 'The dump is no longer there',
  ObjectChanged: () => 'The object in the storage is not the one that was sent',
  ForeignRecipient: ({ recipient }) => `The dump is encrypted for ${recipient}, and Berth does not hold the identity`,
  ContentDiffers: ({ differences }) => `What was restored is not what was dumped. ${differences.join('. ')}`,
  ManifestDiffers: ({ differences }) =>
    ['The manifest in the storage is not the one that was written', ...differences].join('. '),
  ScratchServerEnded: ({ exitCode, detail, cause }) =>
    [
      ...(cause === null ? [] : [runReasonMessage(cause)]),
      `The scratch server ended with exit code ${exitCode}. ${detail}`,
    ].join('. '),
}

const loadMessages: Messages<LoadReason> = {
  LoadInterrupted: (reason) =>
    'The restore was interrupted while it replaced the database. A restore is never begun again by itself, ' +
    `for it would replace what was written since. ${recoveryText(reason)}`,
  LoadFailed: (reason) => `${runReasonMessage(reason.cause).replace(/\.$/, '')}. ${recoveryText(reason)}`,
}

const messages: Messages<RunReason> = {
  ...skipMessages,
  ...serviceMessages,
  ...dumpMessages,
  ...drillMessages,
  ...loadMessages,
  DestinationRemoved: () => 'The destination was removed',
  StorageFailed: ({ detail }) => detail,
  ToolIdle: ({ seconds }) =>
    `The tool gave and took no byte for ${secondsText(seconds)}, and was ended. Look for a session that ` +
    'holds a lock in the database; BERTH_BACKUP_IDLE_SECONDS sets the time',
  TookTooLong: ({ seconds }) =>
    `The run was not over after ${secondsText(seconds)}, and was ended. BERTH_BACKUP_TOTAL_SECONDS sets the time`,
  Cancelled: () => 'It was ended by backup.cancel',
  InterruptedTooOften: ({ times }) =>
    `Berth ended ${times} times while this run was under way, and does not begin it again. Look in the ` +
    'log for why it ended (memory, say), then ask for a new run',
  InterruptedByRestore: () =>
    'It was under way when the backup of the state was made that is restored now, so nobody knows how it ' +
    'ended. Look at what there is, and ask for it again where it is wanted',
  EngineUnavailable: ({ detail }) => detail,
  EngineFailed: ({ detail }) => detail,
  ArchiveBroken: ({ detail }) => detail,
  StateUnreadable: ({ detail }) => detail,
  TooLarge: ({ detail }) => detail,
  Failed: ({ detail }) => detail,
  Legacy: ({ message }) => message,
}

/** The names of all reasons, for the API's schema. */
export const runReasonNames = reasonNames(messages)

export function runReasonMessage(reason: RunReason): string {
  const render = messages[reason.reason] as (reason: RunReason) => string
  return render(reason)
}

/** The fields `reason` and `reasonCode` of an API answer. */
export function runReasonAnswer(stored: Json<RunReason> | null) {
  const reason = fromJson(stored)
  return { reason: reason === null ? null : runReasonMessage(reason), reasonCode: reason?.reason ?? null }
}

/** What the database may contain after a load that did not succeed, and how to restore the previous content. */
const recoveryText = ({ isAtomic, safetyRunId }: LoadReason) => {
  const state = isAtomic
    ? 'The database holds what it held before, unless the last step, in which it is replaced as a whole, was done.'
    : 'The database may hold a part of the dump.'
  return safetyRunId === null
    ? `${state} No safety dump was made before. Restore any good dump: call backup.restore`
    : `${state} What it held before is in the safety dump ${safetyRunId}: to bring that back, call backup.restore ` +
        `with runId ${safetyRunId} and this service`
}

const secondsText = (seconds: number) => `${seconds} second${seconds === 1 ? '' : 's'}`
