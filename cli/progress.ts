/** Long work: waits for its end, shows what it is doing, and tells how to follow it when the person stops waiting. */
import { setTimeout as pause } from 'node:timers/promises'
import { BerthError, type CallOptions, type Client } from '../client/client.ts'
import { type DatabaseSummary, pathOf } from './databases.ts'
import { CommandError } from './exit.ts'
import type { Output } from './output.ts'
import type { Session } from './session.ts'
import { readableSize } from './size.ts'

export interface WaitOptions {
  /** Seconds, as the person wrote them; false with --no-wait. */
  wait?: string | false
}

/** The longest wait that Berth accepts, in seconds. */
const maxWaitSeconds = 600
const pollMs = 1000

/** @throws CommandError if the option is no number of seconds */
export function waitSecondsOf({ wait }: WaitOptions): number {
  if (wait === false) return 0
  const seconds = Number(wait ?? maxWaitSeconds)
  if (Number.isInteger(seconds) && seconds > 0 && seconds <= maxWaitSeconds) return seconds
  throw new CommandError('usage', `--wait must be a whole number of seconds, from 1 to ${maxWaitSeconds}`)
}

/**
 * Carries out work on a database and waits for its end.
 * @param verb the name of the work, for messages
 * @throws CommandError with the class `pending` if the wait ended first, `interrupted` after Ctrl-C
 */
export async function performOn<T>(
  session: Session,
  client: Client,
  database: DatabaseSummary,
  verb: string,
  seconds: number,
  call: (options: CallOptions) => Promise<T>,
): Promise<T> {
  const ended = new AbortController()
  let isPending = false
  const progress =
    seconds === 0 ? Promise.resolve() : showProgress(session.output, client, database, verb, ended.signal)
  try {
    const answer = await call({
      ...(seconds === 0 ? {} : { wait: seconds }),
      signal: session.interrupted,
      onHeaders: (headers) => {
        isPending = headers.get('berth-pending') === 'true'
      },
    })
    if (!isPending) return answer
  } catch (error) {
    if (!session.interrupted.aborted) throw error
    throw new CommandError('interrupted', `The ${verb} goes on.`, followHint(database))
  } finally {
    ended.abort()
    await progress
  }
  throw new CommandError('pending', `The ${verb} has not ended within ${seconds} s. It goes on.`, followHint(database))
}

const followHint = (database: DatabaseSummary) => `Follow it: berth show ${pathOf(database)}, or berth events`

/** Shows the phase and the reason of the running work, until `signal` aborts. */
async function showProgress(
  output: Output,
  client: Client,
  { databaseId, ...database }: DatabaseSummary,
  verb: string,
  signal: AbortSignal,
): Promise<void> {
  const line = output.progress()
  const begunAt = performance.now()
  const name = pathOf({ databaseId, ...database })
  while (!signal.aborted) {
    line.show(`${verb} ${name}`, (performance.now() - begunAt) / 1000)
    await pause(pollMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) break
    const [work] = await client.deployment
      .all({ serviceId: databaseId, state: 'running' }, { signal })
      .catch(ignoreBreaks)
    const about =
      work === undefined ? '' : [work.phase === 'apply' ? '' : work.phase, work.reason ?? ''].filter(Boolean).join(': ')
    line.show(about === '' ? `${verb} ${name}` : `${verb} ${name}: ${about}`, (performance.now() - begunAt) / 1000)
  }
  line.end()
}

/** The waiting call itself reports what is wrong. */
function ignoreBreaks(error: unknown): never[] {
  if (error instanceof BerthError || (error as Error).name === 'AbortError') return []
  throw error
}

/**
 * Waits for the end of a run of a backup.
 * @returns the run as it is then; with 0 seconds, as it is now
 */
export async function waitForRun<R extends RunProgress>(
  session: Session,
  client: Client,
  run: R,
  seconds: number,
): Promise<R> {
  if (seconds === 0) return run
  const line = session.output.progress()
  const begunAt = performance.now()
  try {
    for (let present = run; ; ) {
      if (present.status !== 'running') return present
      const passed = (performance.now() - begunAt) / 1000
      if (passed > seconds) {
        throw new CommandError(
          'pending',
          `The ${run.action} has not ended within ${seconds} s. It goes on: run ${run.runId}`,
        )
      }
      line.show(`${run.action}: ${present.step ?? ''} ${readableSize(present.progressBytes)}`, passed)
      await pause(pollMs, undefined, { signal: session.interrupted })
      const runs = await client.backup.runs({ serviceId: run.databaseId!, order: 'desc', limit: 100 })
      present = (runs as unknown as R[]).find(({ runId }) => runId === run.runId) ?? present
    }
  } catch (error) {
    if (!session.interrupted.aborted) throw error
    throw new CommandError(
      'interrupted',
      `The ${run.action} goes on: run ${run.runId}.`,
      'Follow it: berth backup ls, or berth events',
    )
  } finally {
    line.end()
  }
}

/** The fields of a run that show how far it is. */
interface RunProgress {
  runId: string
  action: string
  status: string
  step: string | null
  databaseId: string | null
  progressBytes: number
}
