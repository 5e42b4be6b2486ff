/** The API's schema of a run, and the conversion of its row to an answer. */
import { z } from 'zod'
import { answeredIdOf, CreatedAt } from '../api/fields.ts'
import type { RunReason } from '../dumps/run-reason.ts'
import { findingMessage, findingReasons, findingRemedy } from '../dumps/finding-message.ts'
import { runReasonAnswer, runReasonMessage, runReasonNames } from '../dumps/run-reason-message.ts'
import { type DumpFinding, isLeftOut } from '../kinds/dump-finding.ts'
import { fromJson } from '../lib/json.ts'
import type { RunSummary } from './run-queries.ts'
import { uncarriedNames } from '../dumps/server-profile.ts'
import { shownVerification, verificationStates } from './runs/verification.ts'
import { noSafetyReasons } from './table.ts'

/** The codes of all reasons of runs. */
export const RunReasonCode = z.enum(runReasonNames).meta({ title: 'RunReason' })

/** The reasons whose parameters are in the field `fault` of an answer. */
const faultReasons = ['LoadInterrupted', 'LoadFailed', 'InterruptedTooOften', 'ToolIdle', 'TookTooLong'] as const

/** The status of a run in answers. */
export const RunStatus = z.enum(['running', 'done', 'error', 'skipped'])

const Fault = z.object({
  reason: z.enum(faultReasons).describe('The same code as reasonCode'),
  safetyRunId: z
    .string()
    .nullable()
    .optional()
    .describe('LoadInterrupted, LoadFailed: the run of the safety dump; null: none was made'),
  data: z
    .enum(['unchanged', 'replaced', 'unknown'])
    .optional()
    .describe(
      'LoadInterrupted, LoadFailed: whether the database has its previous data or that of the dump. unknown: an older ' +
        'version of Berth made the restore, which could also leave a part of the dump',
    ),
  times: z.number().optional().describe('InterruptedTooOften: how many times Berth ended during the run'),
  seconds: z.number().optional().describe('ToolIdle, TookTooLong: the time limit in seconds'),
})

/** The dump that a restore loads. */
const LoadedDump = z.object({
  trigger: z
    .enum(['manual', 'schedule', 'safety'])
    .nullable()
    .describe('What began the dump, as in a run. safety: it is a safety dump. null: Berth has no run of it'),
  startedAt: z.string().describe('When the dump began. What changed in the database since is not in it'),
  rowCount: z.number().describe('Number of rows in all tables and collections'),
})

/** A field of the dumped service that the new service of a restore does not have. */
const NotCarriedOver = z
  .object({
    field: z.enum(uncarriedNames).describe('The field of the dumped service'),
    names: z
      .array(z.string())
      .optional()
      .describe(
        'env, databaseSettings: the variables or settings. Berth knows their values only if it made the dump, or if the ' +
          'dump is encrypted',
      ),
  })
  .meta({ title: 'NotCarriedOver' })

/** What a person should know about a good dump. */
export const DumpFindingAnswer = z
  .object({
    reason: z.enum(findingReasons).describe('The code of the finding. Later versions may add codes'),
    type: z.string().describe('The type of the object, such as VIEW'),
    name: z.string().describe('The name of the object'),
    isLeftOut: z.boolean().describe('Whether the dump has only the definition of the object'),
    message: z.string().describe('The finding as a sentence'),
    remedy: z.string().describe('What to do about it'),
  })
  .meta({ title: 'DumpFinding' })

export const toFinding = (finding: DumpFinding): z.infer<typeof DumpFindingAnswer> => ({
  reason: finding.reason,
  type: finding.type,
  name: finding.name,
  isLeftOut: isLeftOut(finding),
  message: findingMessage(finding),
  remedy: findingRemedy(finding),
})

const RunFields = z.object({
  runId: answeredIdOf('run'),
  backupId: z.string().nullable().describe('Id of the backup; null: the run belongs to no backup'),
  databaseType: z.string().describe('Kind of the service, such as postgres'),
  databaseId: z
    .string()
    .nullable()
    .describe('The service that is dumped or restored into. Drill: the service whose dump is verified'),
  database: z.string().describe('The name of the database within the server'),
  action: z
    .enum(['dump', 'verify', 'restore'])
    .describe('dump: makes a dump. verify: a drill, see backup.verify. restore: loads a dump'),
  trigger: z
    .enum(['manual', 'schedule', 'safety'])
    .describe(
      'What began the run. manual: a call. schedule: the schedule. safety: a restore, whose safety dump this is',
    ),
  status: RunStatus.describe(
    'running: under way, or waiting for its start or its next attempt. done: succeeded. error: failed, see reason. ' +
      'skipped: not started at its time',
  ),
  step: z
    .string()
    .nullable()
    .describe(
      'The current step. A dump has the steps dump, check (read back) and list (upload the manifest), a drill has drill, ' +
        'and a restore has prepare, safety and load. Null after the end of the run',
    ),
  attempt: z.number().describe('The number of the current attempt, from 1'),
  reason: z.string().nullable().describe('Why the run waits, failed or was skipped, or the result of a drill'),
  reasonCode: RunReasonCode.nullable().describe(
    'The code of the reason. Later versions may add codes. Legacy: an older version of Berth stored the reason',
  ),
  fault: Fault.nullable().describe(
    'The parameters of some reasons; null for the other reasons. Later versions may add reasons',
  ),
  key: z
    .string()
    .nullable()
    .describe(
      'The key of the object in the bucket; null: there is none. Its manifest has this key with .json appended. ' +
        'Failed dump: the key of uploaded data that Berth still has to delete',
    ),
  sizeBytes: z.number().nullable().describe('The size of the object as stored'),
  rawBytes: z.number().nullable().describe('The size of the dump before compression'),
  rowCount: z
    .number()
    .nullable()
    .describe('Good dump: the number of rows in all tables and collections; null: not counted'),
  shrunkFrom: z
    .string()
    .nullable()
    .describe(
      'Good dump that shrank: the run of the earlier dump that it was compared with. The dump has less than half of ' +
        'the rows or bytes of the earlier one',
    ),
  findings: z
    .array(DumpFindingAnswer)
    .describe(
      'Good dump: what a person should know about it, at most 20. The dump has all data, but some objects are left out, ' +
        'do not work, or need another database. backup.manifest has all findings',
    ),
  findingCount: z.number().describe('Good dump: the number of all findings'),
  needs: z
    .array(z.string())
    .describe('Good dump: other databases of the server that objects of the dump need, at most 20'),
  sha256: z.string().nullable().describe('The SHA-256 checksum of the object as stored'),
  progressBytes: z.number().describe('The number of bytes transferred so far'),
  bytesPerSecond: z.number().nullable().describe('The average throughput so far; null after the end of the run'),
  encrypted: z.boolean().describe('Whether the object is encrypted. Its manifest names the recipient'),
  sourceRunId: z
    .string()
    .nullable()
    .describe('Drill or restore: the run of the dump that is read; null for a restore by key'),
  dump: LoadedDump.optional().describe('Answer of backup.restore: the dump that is loaded, as far as Berth knows it'),
  notCarriedOver: z
    .array(NotCarriedOver)
    .optional()
    .describe(
      'Answer of backup.restore into a new service: the fields of the dumped service that the new one does not have. ' +
        'Two services cannot have the same external port',
    ),
  safetyRunId: z.string().nullable().describe('Restore: the run of the safety dump; null: none was made yet'),
  safety: z
    .enum(noSafetyReasons)
    .nullable()
    .describe(
      'Restore: why the restore makes no safety dump. NewService: the restore creates the service. NotWanted: ' +
        'skipSafetyDump was set. TargetEmpty: the database does not exist or is empty. null: the restore makes one',
    ),
  data: z
    .enum(['unchanged', 'replaced'])
    .nullable()
    .describe(
      'Restore into an existing service: whether the database has its previous data (unchanged) or that of the dump ' +
        '(replaced). null: not known yet, or the restore ended before it loaded anything, so the data is unchanged',
    ),
  deploymentId: z
    .string()
    .nullable()
    .describe('Restore that replaces the volume of the service: the deployment that does this'),
  expiresAt: z.string().nullable().describe('Safety dump: when Berth deletes its object'),
  verification: z
    .enum(verificationStates)
    .nullable()
    .describe(
      'Drill: its result. Dump: the result of its last drill. notVerifiable: the drill could not verify the dump, which ' +
        'is not a fault of the dump. null: there is no result',
    ),
  verificationReason: z
    .string()
    .nullable()
    .describe('Why the drill failed, or why the dump cannot be verified; null otherwise'),
  verifiedAt: z.string().nullable().describe('Dump: when a drill last verified it without a difference'),
  createdAt: CreatedAt,
  startedAt: z.string().nullable().describe('When the run began; null: not started'),
  finishedAt: z.string().nullable().describe('When the run ended; null: not ended yet'),
})

export const Run = RunFields.meta({ title: 'Run' })

/** The parameters of a reason in the answer; null for a reason that is not in `faultReasons`. */
function faultOf(reason: RunReason | null): z.infer<typeof Fault> | null {
  switch (reason?.reason) {
    case 'LoadInterrupted':
    case 'LoadFailed': {
      const { reason: name, safetyRunId, data } = reason
      return { reason: name, safetyRunId, data }
    }
    case 'InterruptedTooOften':
    case 'ToolIdle':
    case 'TookTooLong':
      return reason
    default:
      return null
  }
}

/**
 * Converts a row to the API's answer.
 * @param now the current time, for the throughput of an open run
 */
export function toRun(row: RunSummary, now: Date) {
  const isOpen = row.status === 'waiting' || row.status === 'running'
  const { count = 0, needs = [], shown = [] } = fromJson(row.findings) ?? {}
  const verification = shownVerification(row)
  const seconds = row.startedAt === null ? 0 : (now.getTime() - Date.parse(row.startedAt)) / 1000
  return {
    ...row,
    runId: row.id,
    databaseType: row.kind,
    ...runReasonAnswer(row.reason),
    fault: faultOf(fromJson(row.reason)),
    findings: shown.map(toFinding),
    findingCount: count,
    needs,
    verification: verification?.state ?? null,
    verificationReason: verification?.reason == null ? null : runReasonMessage(verification.reason),
    status: row.status === 'waiting' ? ('running' as const) : row.status,
    step: isOpen ? row.step : null,
    encrypted: row.recipient !== null,
    bytesPerSecond: isOpen && seconds > 0 ? Math.round(row.progressBytes / seconds) : null,
  }
}
