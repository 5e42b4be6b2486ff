/** Renders the stored reasons of backup runs as sentences for people. No decision depends on the sentences. Pure. */
import { type Messages, reasonNames } from '../deployments/messages.ts'
import { reasonMessage } from '../deployments/reason-message.ts'
import { dataPlaceMessages } from '../deployments/volume-reason-message.ts'
import { fromJson, type Json } from '../lib/json.ts'
import type {
  DrillReason,
  DumpReason,
  LoadReason,
  RestoredData,
  RunReason,
  ServiceReason,
  SkipReason,
  SpaceReason,
  ToolEnd,
} from './run-reason.ts'

const skipMessages: Messages<SkipReason> = {
  MissedSchedule: ({ dueAt }) =>
    `Skipped: the run was due at ${dueAt}, more than a day ago. Berth was not running, or the clock was set forward`,
  PreviousRunOpen: ({ runId }) => `Skipped: the previous run ${runId} was still under way`,
  NothingToVerify: () => 'Skipped: there is no dump that Berth can verify',
}

const serviceMessages: Messages<ServiceReason> = {
  ...dataPlaceMessages,
  ServiceRemoved: () => 'The service was removed',
  ServiceNotDeployed: () => 'The service was never deployed',
  ServiceStopped: () => 'The service is stopped',
  ServiceStoppedMeanwhile: () => 'The service was stopped',
  ServiceDown: () => 'The service is not running at the moment',
  ServiceNotUp: ({ cause }) => `The service did not start${cause === null ? '' : `: ${reasonMessage(cause)}`}`,
  ServiceNotUpInTime: () => 'The service did not start in time',
  LoginRefused: ({ cause }) => (cause === null ? 'The service refuses logins' : reasonMessage(cause)),
  DataNotCompared: () => 'The container was just started, and Berth has not verified its data yet. Try again',
  ContainerReplaced: () => 'The container of the service was replaced during the dump. Try again',
}

const toolMessage = ({ tool, exitCode, outOfMemory, detail }: ToolEnd) =>
  `${tool} ${outOfMemory ? 'ran out of memory' : `ended with exit code ${exitCode}`}. ${detail}`.trimEnd()

const dumpMessages: Messages<DumpReason> = {
  ToolFailed: toolMessage,
  NameNotFound: ({ missing, routine, object, ...end }) =>
    `The function ${routine}${object === null ? '' : `, which the ${object} needs,`} uses the ${missing} without its schema. ` +
    `A restore has an empty search path. Run ALTER FUNCTION ${routine} SET search_path = ${schemaOf(routine)}, and make a ` +
    `new dump. ${toolMessage(end)}`,
  LocksExhausted: (end) =>
    'The server has no room for the locks of a transaction with so many tables. Add -c max_locks_per_transaction=512 to ' +
    `its command, such as berth set NAME --command '-c max_locks_per_transaction=512', and try again. ${toolMessage(end)}`,
  ReadRefused: ({ object, role, right, ...end }) =>
    `The role ${role} must not read the ${object}. Give it the right: ${rightText(role, right)}. ${toolMessage(end)}`,
  DatabaseMissing: toolMessage,
  DumpEmpty: () => 'The dump is empty, because the database does not exist or is empty. Check the name of the database',
  ObjectDiffers: ({ receivedBytes, sentBytes }) =>
    `The ${receivedBytes} bytes that were read back differ from the ${sentBytes} bytes that were uploaded`,
  OlderDumpNotDeleted: ({ detail }) => `The dump is good, but an older one could not be deleted: ${detail}`,
}

/** The schema of a function such as `public.slug(text)`, with quotation marks if it needs them. */
const schemaOf = (routine: string) => /^((?:"(?:[^"]|"")*"|[^."(])+)\./.exec(routine)?.[1] ?? 'public'

const rightText = (role: string, right: string) => {
  const name = `"${role.replaceAll('"', '""')}"`
  return right === 'BYPASSRLS' ? `ALTER ROLE ${name} BYPASSRLS` : `GRANT ${right} TO ${name}`
}

const drillMessages: Messages<DrillReason> = {
  RestoredEqual: ({ tables, rows }) => `Restored and equal: ${tables} tables with ${rows} rows`,
  NotVerifiable: ({ needs }) =>
    `Not verifiable: needs ${needs.join(', ')}. Objects of the dump need databases that are not in it. A restore into ` +
    'their own server works',
  MemoryMissing: ({ neededMib, availableMib }) =>
    `Not verifiable now: a scratch server needs ${neededMib} MiB of memory, and the node of Berth has ${availableMib} MiB ` +
    'that no other program uses',
  DumpGone: () => 'The dump does not exist any more',
  ObjectChanged: () => 'The object in the storage differs from the uploaded one',
  ForeignRecipient: ({ recipient }) => `The dump is encrypted for ${recipient}, and Berth does not have its identity`,
  ContentDiffers: ({ differences }) =>
    `The restored content differs from the dumped content. ${differences.join('. ')}`,
  ManifestDiffers: ({ differences }) =>
    ['The manifest in the storage differs from the uploaded one', ...differences].join('. '),
  ScratchServerEnded: ({ exitCode, detail, cause }) =>
    [
      ...(cause === null ? [] : [runReasonMessage(cause)]),
      `The scratch server ended with exit code ${exitCode}. ${detail}`,
    ].join('. '),
}

const loadMessages: Messages<LoadReason> = {
  LoadInterrupted: (reason) =>
    'The restore was interrupted while it loaded the dump. Berth never repeats a restore, because that would overwrite ' +
    `later changes. ${recoveryText(reason)}`,
  LoadFailed: (reason) => `${runReasonMessage(reason.cause).replace(/\.$/, '')}. ${recoveryText(reason)}`,
  AwaitingServer: ({ cause }) =>
    `${runReasonMessage(cause).replace(/\.$/, '')}. Berth waits for the server to say whether its data was replaced`,
  VolumeNotReplaced: ({ cause }) =>
    cause === null ? 'The database did not start on its new volume' : reasonMessage(cause),
}

const messages: Messages<RunReason> = {
  ...skipMessages,
  ...serviceMessages,
  ...dumpMessages,
  ...drillMessages,
  ...loadMessages,
  DestinationRemoved: () => 'The destination was removed',
  DatabasesMissing: ({ databases }) =>
    `Nothing was changed: views of the dump need the databases ${databases.join(', ')}, which this server does not have. ` +
    'Restore them first, or set withoutNeeds',
  RestartNeeded: ({ part }) =>
    `The data is restored, but ${part} has ended with the old database and works again only after a restart of the ` +
    'server. Run berth reload NAME',
  SpaceMissing: spaceMessage,
  StorageFailed: ({ detail }) => detail,
  ToolIdle: ({ seconds }) =>
    `Berth ended the tool, because it transferred no data for ${secondsText(seconds)}. Check whether another session ` +
    'locks the database. BERTH_BACKUP_IDLE_SECONDS sets this limit',
  TookTooLong: ({ seconds }) =>
    `Berth ended the run after ${secondsText(seconds)}, its time limit. BERTH_BACKUP_TOTAL_SECONDS sets this limit`,
  Cancelled: () => 'The run was cancelled',
  InterruptedTooOften: ({ times }) =>
    `Berth ended ${times} times during this run, so Berth does not restart the run. Find the cause in Berth's log, ` +
    'for example a lack of memory. Then start a new run',
  InterruptedByRestore: () =>
    'The restored backup of the state was made during this run, so the outcome of the run is unknown. Check the ' +
    'present state, and repeat the call if necessary',
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

/** Returns the sentence for a reason. */
export function runReasonMessage(reason: RunReason): string {
  const render = messages[reason.reason] as (reason: RunReason) => string
  return render(reason)
}

/** The fields `reason` and `reasonCode` of an API answer. */
export function runReasonAnswer(stored: Json<RunReason> | null) {
  const reason = fromJson(stored)
  return { reason: reason === null ? null : runReasonMessage(reason), reasonCode: reason?.reason ?? null }
}

const dataTexts: Record<RestoredData, string> = {
  unchanged: 'The data of the database is unchanged.',
  replaced: 'The database has the content of the dump.',
  unknown: 'The database may have its previous content, that of the dump, or a part of it.',
}

/** What the database contains after a load that did not succeed, and how to restore the previous content. */
const recoveryText = ({ data, safetyRunId }: Extract<LoadReason, { data: RestoredData }>) => {
  if (data === 'unchanged') return dataTexts.unchanged
  return safetyRunId === null
    ? `${dataTexts[data]} There is no safety dump. Restore another good dump with backup.restore`
    : `${dataTexts[data]} The safety dump ${safetyRunId} has the previous content. To restore it, call backup.restore ` +
        `with runId ${safetyRunId} and this service`
}

/** Also the message of the refusal before the restore begins. */
export function spaceMessage({ node, neededBytes, freeBytes }: Omit<SpaceReason, 'reason'>): string {
  return (
    `Nothing was changed: a restore keeps the present data until its end, so it needs about ${neededBytes} free bytes on node ` +
    `${node}, where ${freeBytes} are free. Free some space, for example by berth volume rm for volumes that are kept ` +
    '(berth volume ls --kept), or restore into a new service on another node'
  )
}

const secondsText = (seconds: number) => `${seconds} second${seconds === 1 ? '' : 's'}`
