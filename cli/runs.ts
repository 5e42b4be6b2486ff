/** Runs of backups: finds them, waits for their end and reports it. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Client, Operations } from '../client/client.ts'
import type { Outcome } from './command.ts'
import { type DatabaseSummary, pathOf } from './databases.ts'
import { CommandError } from './exit.ts'
import { goesOn, pollMs } from './progress.ts'
import type { Session } from './session.ts'
import { readableSize } from './size.ts'

export type Run = Awaited<ReturnType<Operations['backup']['runs']>>[number]
export type Backup = Awaited<ReturnType<Operations['backup']['all']>>[number]

/** The id of the database. */
export const serviceOf = ({ postgresId, mysqlId, mariadbId, mongoId }: Backup) =>
  postgresId ?? mysqlId ?? mariadbId ?? mongoId ?? ''

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

/** Wait for the run and report its end. */
export async function runOutcome(
  session: Session,
  client: Client,
  run: Run,
  seconds: number,
  what: string,
): Promise<Outcome> {
  const ended = await waitForRun(session, client, run, seconds)
  const { output } = session
  return {
    json: ended,
    show() {
      const size = ended.sizeBytes === null ? '' : ` (${readableSize(ended.sizeBytes)})`
      if (ended.status === 'done') output.line(`${what} succeeded${size}.`)
      else if (ended.status === 'running') output.line(`${what} has begun: run ${ended.runId}.`)
    },
    ...(ended.status === 'error' ? { failure: new CommandError('failed', `${what} failed: ${ended.reason}`) } : {}),
  }
}

/** @returns the run as it is at its end; with 0 seconds, as it is now */
async function waitForRun({ output, interrupted }: Session, client: Client, run: Run, seconds: number): Promise<Run> {
  if (seconds === 0) return run
  const line = output.progress()
  const begunAt = performance.now()
  const name = `${run.action} ${run.runId}`
  const work = { follow: 'berth backup ls DATABASE, or berth events' }
  try {
    for (let present = run; ; present = await readRun(client, present)) {
      if (present.status !== 'running') return present
      const passed = (performance.now() - begunAt) / 1000
      if (passed > seconds) throw goesOn('pending', `The ${name} has not ended within ${seconds} s. It goes on.`, work)
      line.show(`${run.action}${progressOf(present)}`, passed)
      await pause(pollMs, undefined, { signal: interrupted })
    }
  } catch (error) {
    if (!interrupted.aborted) throw error
    throw goesOn('interrupted', `The ${name} goes on.`, work)
  } finally {
    line.end()
  }
}

function progressOf({ step, progressBytes }: Run): string {
  if (step === null) return ': waits for its turn'
  return `: ${step}${progressBytes > 0 ? ` ${readableSize(progressBytes)}` : ''}`
}

async function readRun(client: Client, run: Run): Promise<Run> {
  const runs = await client.backup.runs({
    order: 'desc',
    limit: 100,
    ...(run.databaseId === null ? {} : { serviceId: run.databaseId }),
  })
  return runs.find(({ runId }) => runId === run.runId) ?? run
}
