/** The operations on backups of Berth's own state: the schedule and the runs. A restore is a command on the machine. */
import { z } from 'zod'
import { command, query } from '../../api/contract.ts'
import { refuse } from '../../errors.ts'
import { openRunOf, summaryColumns } from '../../backups/run-queries.ts'
import type { BackupTable } from '../../backups/table.ts'
import { deleteBackup, insertBackup, updateBackup } from '../../backups/queries.ts'
import type { Reader } from '../../store/schema.ts'
import { Backup, optionalFields, Prefix, Schedule } from '../../backups/fields.ts'
import { Run, toRun } from '../../backups/run-fields.ts'
import { checkDestination, checkSignalUrl, withDueTimes } from '../../backups/check-backup.ts'
import { startRun, cancelRun, readRun } from '../../backups/operations/runs.ts'
import { afterCursor, answeredIdOf, cutPage, idOf, Order, page, Since } from '../../api/fields.ts'
import { instantOf } from '../../api/instants.ts'

const { timezone, keepLatest, keepDays, signalUrl } = optionalFields

/** The fields that a backup of the state has in common with a backup of a database. */
const sharedFields = {
  timezone: true,
  enabled: true,
  keepLatest: true,
  keepDays: true,
  signalUrl: true,
  createdAt: true,
} as const

const StateBackup = z.object({
  destinationId: answeredIdOf('destination of the backups'),
  schedule: z.string().describe('When to back up: a cron expression with five fields, or a name such as @daily'),
  prefix: z.string().describe('Text before the keys of the objects; empty: none'),
  ...Backup.pick(sharedFields).shape,
  nextAt: z.string().nullable().describe('The time of the next scheduled run; null while the schedule is disabled'),
})

const StateRun = Run.pick({
  runId: true,
  trigger: true,
  status: true,
  step: true,
  attempt: true,
  reason: true,
  reasonCode: true,
  fault: true,
  key: true,
  sizeBytes: true,
  rawBytes: true,
  sha256: true,
  createdAt: true,
  startedAt: true,
  finishedAt: true,
})

const keyText =
  'Each backup is sealed with the master key. To restore a backup, run berth state restore on the machine with the ' +
  'same master key.'

export const schedule = command({
  name: 'state.schedule',
  summary: "Schedule backups of Berth's own state, or change the schedule",
  description:
    `${keyText} Omitted fields keep their values. In a new schedule, omitted keepLatest and keepDays mean that no ` +
    'backup is ever deleted.',
  access: 'admin:admin',
  input: z.object({
    schedule: Schedule.describe('A cron expression with five fields, or a shortcut such as @daily'),
    destinationId: idOf('destination of the backups'),
    prefix: Prefix.optional().describe(
      'Text before the keys of the objects. Without it the keys begin with berth/state/',
    ),
    enabled: z.boolean().optional().describe('Whether the schedule is active. A new schedule is active by default'),
    timezone,
    keepLatest,
    keepDays,
    signalUrl,
  }),
  output: StateBackup,
  refusals: ['NOT_FOUND'],
  async run(context, { enabled, ...input }) {
    const { tx, newId, now } = context
    await checkDestination(context, input.destinationId)
    checkSignalUrl(context, input.signalUrl)
    const existing = await stateBackup(tx)
    const changes = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
    const row: BackupTable = withDueTimes(
      {
        ...(existing ?? { ...newSchedule, id: newId(), createdAt: now().toISOString() }),
        ...changes,
        enabled: enabled === undefined ? (existing?.enabled ?? 1) : enabled ? 1 : 0,
      } as BackupTable,
      now(),
      existing,
    )
    if (existing === undefined) await insertBackup(tx, row)
    else await updateBackup(tx, row)
    context.wake('backups')
    return toStateBackup(row)
  },
})

/** The initial columns of a new schedule, except `id`, `createdAt`, `enabled` and those that the input always sets. */
const newSchedule = {
  subjectKind: 'installation',
  kind: 'state',
  databaseId: '',
  database: 'state',
  timezone: 'UTC',
  prefix: '',
  verifySchedule: null,
  keepLatest: null,
  keepDays: null,
  recipient: null,
  signalUrl: null,
  nextAt: null,
  nextVerifyAt: null,
} as const satisfies Partial<BackupTable>

export const one = query({
  name: 'state.one',
  summary: "Read the backup schedule of Berth's own state",
  access: 'admin:read',
  input: z.object({}),
  output: StateBackup,
  refusals: ['NOT_FOUND'],
  tag: { observed: ['nextAt'] },
  run: async ({ db }) => toStateBackup((await stateBackup(db)) ?? refuse('NOT_FOUND', noScheduleMessage)),
})

export const unschedule = command({
  name: 'state.unschedule',
  summary: "Delete the backup schedule of Berth's own state. Existing backups stay in the bucket",
  access: 'admin:admin',
  input: z.object({}),
  output: StateBackup,
  refusals: ['NOT_FOUND', 'CONFLICT'],
  async run({ tx }) {
    const row = (await stateBackup(tx)) ?? refuse('NOT_FOUND', noScheduleMessage)
    const open = await openRunOf(tx, row.id)
    if (open !== undefined) {
      refuse('CONFLICT', `Run ${open.id} is under way. Wait for its end, or call state.cancel`)
    }
    await deleteBackup(tx, row.id)
    return toStateBackup(row)
  },
})

export const backup = command({
  name: 'state.backup',
  summary: "Back up Berth's own state now, to the destination of its schedule",
  description: keyText,
  access: 'admin:admin',
  work: 'read',
  input: z.object({}),
  output: StateRun,
  refusals: ['PRECONDITION_FAILED', 'CONFLICT'],
  run: async (context) =>
    startRun(context, (await stateBackup(context.tx)) ?? refuse('PRECONDITION_FAILED', noScheduleMessage), {
      action: 'dump',
    }),
  finalAnswer: (context, _input, [runId]) => readRun(context, runId!),
})

export const runs = query({
  name: 'state.runs',
  summary: "List the backup runs of Berth's own state",
  access: 'admin:read',
  input: z.object({ ...page, order: Order, since: Since }),
  output: z.array(StateRun),
  async run({ db, now, setNextCursor }, { limit, cursor, order, since }) {
    const { id = '' } = (await stateBackup(db)) ?? {}
    let rows = db.selectFrom('backupRun').select(summaryColumns).where('backupId', '=', id).orderBy('id', order)
    if (cursor !== undefined) rows = rows.where('id', afterCursor[order], cursor)
    if (since !== undefined) rows = rows.where('createdAt', '>=', instantOf(since, now())!)
    if (limit !== undefined) rows = rows.limit(limit + 1)
    return cutPage(await rows.execute(), limit, setNextCursor).map((row) => toRun(row, now()))
  },
})

export const cancel = command({
  name: 'state.cancel',
  summary: "Cancel a backup run of Berth's own state that is under way, and delete the data that it uploaded",
  access: 'admin:admin',
  input: z.object({ runId: idOf('run') }),
  output: StateRun,
  refusals: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  recordOf: null,
  async run({ tx, now, wake }, { runId }) {
    const row =
      (await tx
        .selectFrom('backupRun')
        .selectAll()
        .where('id', '=', runId)
        .where('subjectKind', '=', 'installation')
        .executeTakeFirst()) ??
      refuse('NOT_FOUND', "No backup run of Berth's own state has this id. state.runs lists the runs")
    return toRun(await cancelRun(tx, row, wake), now())
  },
})

const noScheduleMessage = "Berth's own state has no backup schedule. Create one with state.schedule"

/** Returns the schedule. An installation has at most one. */
function stateBackup(db: Reader): Promise<BackupTable | undefined> {
  return db.selectFrom('backup').selectAll().where('subjectKind', '=', 'installation').executeTakeFirst()
}

const toStateBackup = (row: BackupTable) => ({ ...row, enabled: row.enabled === 1 })
