/** Runs of backups: finds them, waits for their end and reports it. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Client, Operations } from '../client/client.ts'
import type { Outcome } from './command.ts'
import { type DatabaseSummary, pathOf } from './databases.ts'
import { CommandError } from './exit.ts'
import { findNamed } from './names.ts'
import type { Output } from './terminal/output.ts'
import { goesOn, pollMs } from './progress.ts'
import type { Session } from './connection/session.ts'
import { readableSize } from './terminal/size.ts'

export type Run = Awaited<ReturnType<Operations['backup']['runs']>>[number]
export type Backup = Awaited<ReturnType<Operations['backup']['all']>>[number]

/** The id of the database that a backup dumps. */
export const dumpedDatabase = ({ postgresId, mysqlId, mariadbId, mongoId, redisId }: Backup): string | null =>
  postgresId ?? mysqlId ?? mariadbId ?? mongoId ?? redisId

/** The name that stands for all databases of a server, in the backups of Redis. */
export const wholeServer = 'all'

/**
 * The backup of a database. If it has several, the one with this id.
 * @throws CommandError if the database has no backup, or several and none is chosen
 */
export async function backupOf(client: Client, database: DatabaseSummary, id: string | undefined): Promise<Backup> {
  const path = pathOf(database)
  const own = await client.backup.all({ serviceId: database.databaseId })
  const chosen = id === undefined ? own : own.filter(({ backupId }) => backupId.startsWith(id))
  if (chosen.length === 1) return chosen[0]!
  if (own.length === 0) {
    const hint = `Schedule one: berth backup schedule ${path} @daily --to DESTINATION`
    throw new CommandError('notFound', `${path} has no backup`, hint)
  }
  const list = own.map((each) => `${each.backupId} (${each.database}, ${each.schedule})`).join(', ')
  throw new CommandError('usage', `Choose a backup of ${path} with --backup: ${list}`)
}

/** The fields that the runs of databases and those of Berth's own state have. */
type AnyRun = Pick<Run, 'runId' | 'status' | 'step' | 'reason' | 'sizeBytes'> & { progressBytes?: number }

/** Where a run is read again while the command waits for its end. */
export interface RunSource<R extends AnyRun> {
  /** Commands that show what became of the run. */
  follow: string
  read(run: R): Promise<R>
}

export const databaseRuns = (client: Client): RunSource<Run> => ({
  follow: 'berth backup ls DATABASE, or berth events',
  async read(run) {
    const service = run.databaseId === null ? {} : { serviceId: run.databaseId }
    const runs = await client.backup.runs({ ...service, order: 'desc', limit: 100 })
    return runs.find(({ runId }) => runId === run.runId) ?? run
  },
})

/** Waits for the run and reports its end. @param name such as `The dump of shop/orders` */
export async function runOutcome<R extends AnyRun>(
  session: Session,
  source: RunSource<R>,
  run: R,
  seconds: number,
  name: string,
): Promise<Outcome & { json: R }> {
  const ended = await waitForRun(session, source, run, seconds, name)
  const { output } = session
  return {
    json: ended,
    show() {
      const size = ended.sizeBytes === null ? '' : ` (${readableSize(ended.sizeBytes)})`
      if (ended.status === 'done') output.line(`${name} succeeded${size}.${resultOf(ended)}`)
      else if (ended.status === 'running') output.line(`${name} has begun: run ${ended.runId}.`)
    },
    ...(ended.status === 'error' ? { failure: new CommandError('failed', `${name} failed: ${ended.reason}`) } : {}),
  }
}

/** The result of a drill, or what is left to do after a restore. */
const resultOf = ({ reason }: AnyRun): string => (reason === null ? '' : ` ${reason}.`)

/** @returns the run as it is at its end; with 0 seconds, as it is now */
async function waitForRun<R extends AnyRun>(
  { output, interrupted }: Session,
  source: RunSource<R>,
  run: R,
  seconds: number,
  name: string,
): Promise<R> {
  if (seconds === 0) return run
  const line = output.progress()
  const begunAt = performance.now()
  const isNotOver = `${name} has not ended within ${seconds} s. It goes on: run ${run.runId}.`
  try {
    for (let present = run; ; present = await source.read(present)) {
      if (present.status !== 'running') return present
      const passed = (performance.now() - begunAt) / 1000
      if (passed > seconds) throw goesOn('pending', isNotOver, source)
      line.show(`${name}${progressOf(present)}`, passed)
      await pause(pollMs, undefined, { signal: interrupted })
    }
  } catch (error) {
    if (!interrupted.aborted) throw error
    throw goesOn('interrupted', `${name} goes on: run ${run.runId}.`, source)
  } finally {
    line.end()
  }
}

function progressOf({ step, progressBytes = 0 }: AnyRun): string {
  if (step === null) return ': waits for its turn'
  return `: ${step}${progressBytes > 0 ? ` ${readableSize(progressBytes)}` : ''}`
}

/**
 * The only run in progress, or the one whose id begins with `id`.
 * @param subject whose runs these are, for messages
 * @throws CommandError if there is none, or several and none is chosen
 */
export function runInProgress<R extends AnyRun>(subject: string, runs: readonly R[], id: string | undefined): R {
  const running = runs.filter(({ status }) => status === 'running')
  if (running.length === 0) throw new CommandError('notFound', `${subject} has no run in progress`)
  if (running.length === 1 && id === undefined) return running[0]!
  return findNamed('run in progress', id ?? '', running, ({ runId }) => [runId])
}

export const runStatus = (output: Output, { status }: AnyRun): string =>
  output.styled(status === 'done' ? 'good' : status === 'error' ? 'bad' : 'busy', status)

/** Which dumps a schedule keeps, for example `7, 30 days`. */
export const keptDumps = ({ keepLatest, keepDays }: Pick<Backup, 'keepLatest' | 'keepDays'>): string =>
  [keepLatest, keepDays === null ? null : `${keepDays} days`].filter((rule) => rule !== null).join(', ') || 'all'
