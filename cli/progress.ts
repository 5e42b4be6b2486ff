/** Long work: waits for its end, shows what it is doing, and tells how to follow it when the person stops waiting. */
import { setTimeout as pause } from 'node:timers/promises'
import { Option } from 'commander'
import { BerthError, type CallOptions, type Client } from '../client/client.ts'
import { type DatabaseSummary, pathOf, shellPathOf } from './databases.ts'
import { CommandError } from './exit.ts'
import { numberOf } from './names.ts'
import type { Session } from './connection/session.ts'

export interface WaitOptions {
  /** Seconds, as the person wrote them; false with --no-wait. */
  wait?: string | false
}

/** The longest wait that Berth accepts, in seconds. */
const maxWaitSeconds = 600
export const pollMs = 1000

/** --wait and --no-wait, for commands that begin long work. */
export const waitOptions = (): Option[] => [
  new Option('--wait <seconds>', `how long to wait for the end of the work (${maxWaitSeconds})`),
  new Option('--no-wait', 'return when the work is recorded'),
]

/** @throws CommandError if the option is no number of seconds */
export function waitSecondsOf({ wait }: WaitOptions): number {
  if (wait === false) return 0
  // Commander sets `true` for --wait if --no-wait is declared and neither is given.
  const seconds = typeof wait === 'string' ? numberOf('--wait', wait) : maxWaitSeconds
  if (Number.isInteger(seconds) && seconds > 0 && seconds <= maxWaitSeconds) return seconds
  throw new CommandError('usage', `--wait must be a whole number of seconds, from 1 to ${maxWaitSeconds}`)
}

export interface Work {
  /** Such as `deploy of shop/orders`. */
  name: string
  /** A command that shows what became of the work. */
  follow: string
  /** What the work is doing now; empty if this is unknown. */
  phase?(signal: AbortSignal): Promise<string>
}

/** Work on a database, a registry or a port. Its phase is that of the running deployment. */
export const deploymentWork = (client: Client, serviceId: string, name: string, follow: string): Work => ({
  name,
  follow,
  async phase(signal) {
    const [work] = await client.deployment.all({ serviceId, state: 'running', order: 'desc' }, { signal })
    if (work === undefined) return ''
    return [work.phase === 'apply' ? '' : work.phase, work.reason ?? ''].filter(Boolean).join(': ')
  },
})

/** `perform` for work on a database. @param verb the name of the work, for messages */
export function performOn<T>(
  session: Session,
  client: Client,
  database: DatabaseSummary,
  verb: string,
  seconds: number,
  call: (options: CallOptions) => Promise<T>,
): Promise<T> {
  const path = pathOf(database)
  const follow = `berth show ${shellPathOf(database)}, or berth events`
  return perform(session, deploymentWork(client, database.databaseId, `${verb} of ${path}`, follow), seconds, call)
}

/**
 * Calls an operation that begins work, and waits for the end of the work.
 * @param seconds how long to wait; 0 returns when the work is recorded
 * @throws CommandError with the class `pending` if the wait ended first, `interrupted` after Ctrl-C
 */
export async function perform<T>(
  { output, interrupted }: Session,
  work: Work,
  seconds: number,
  call: (options: CallOptions) => Promise<T>,
): Promise<T> {
  if (seconds === 0) return call({ signal: interrupted })
  const ended = new AbortController()
  const progress = showProgress(output.progress(), work, ended.signal)
  let isPending = false
  try {
    const answer = await call({
      wait: seconds,
      signal: interrupted,
      onHeaders: (headers) => {
        isPending = headers.get('berth-pending') === 'true'
      },
    })
    if (!isPending) return answer
  } catch (error) {
    if (!interrupted.aborted) throw error
    throw goesOn('interrupted', `The ${work.name} goes on.`, work)
  } finally {
    ended.abort()
    await progress
  }
  throw goesOn('pending', `The ${work.name} has not ended within ${seconds} s. It goes on.`, work)
}

/**
 * For a promise of `perform`: adds to a failure of the work what remains and what to do. Other errors are thrown as
 * they are.
 */
export const adviseAfterFailure =
  (advice: string) =>
  (error: unknown): never => {
    if (error instanceof BerthError && error.code === 'UNPROCESSABLE_CONTENT')
      throw new CommandError('failed', error.message, advice)
    throw error
  }

export const goesOn = (exitClass: 'interrupted' | 'pending', message: string, { follow }: Pick<Work, 'follow'>) =>
  new CommandError(exitClass, message, `Follow it: ${follow}`)

type Line = ReturnType<Session['output']['progress']>

/** Shows the phase of the work each second, until `signal` aborts. */
async function showProgress(line: Line, { name, phase }: Work, signal: AbortSignal): Promise<void> {
  const begunAt = performance.now()
  for (let about = ''; !signal.aborted; ) {
    line.show(about === '' ? name : `${name}: ${about}`, (performance.now() - begunAt) / 1000)
    await pause(pollMs, undefined, { signal }).catch(() => undefined)
    if (!signal.aborted) about = (await phase?.(signal).catch(ignoreBreaks)) ?? ''
  }
  line.end()
}

/** The waiting call itself reports what is wrong. */
function ignoreBreaks(error: unknown): string {
  if (error instanceof BerthError || (error as Error).name === 'AbortError') return ''
  throw error
}
