/** Calls that wait for work to settle (`Prefer: wait`): asked after each transaction, answered from the store alone. */
import { reasonAnswer } from './reason-message.ts'
import type { DeploymentTable } from './table.ts'
import type { Log } from '../lib/log.ts'
import { runReasonAnswer } from '../dumps/run-reason-message.ts'
import type { Reader, Transact, Writer } from '../store/schema.ts'

/** `reason`: in words. */
export interface Ended extends Pick<DeploymentTable, 'state'> {
  reason: string | null
}

interface Waiter {
  ids: string[]
  answer(ended: Ended | null): void
}

export interface Waiters {
  settled(ids: string[], timeoutMs: number): Promise<Ended | null>
  /** Gives a `transact` after which those who wait are asked. */
  askedAfter(transact: Transact): Transact
  /** Ends all waits, those to come too: the answer is that the work goes on. */
  release(): void
}

export function waitersOn(db: Reader, log: Log): Waiters {
  const waiting = new Set<Waiter>()
  let isReleased = false
  const asking = repeatable(() => askAll().catch((error: unknown) => log.error('waiters could not be asked', error)))
  return { settled, askedAfter, release }

  function askedAfter(transact: Transact): Transact {
    return async <T>(work: (tx: Writer) => Promise<T>) => {
      const result = await transact(work)
      if (waiting.size > 0) asking()
      return result
    }
  }

  function release() {
    isReleased = true
    for (const waiter of waiting) waiter.answer(null)
  }

  function settled(ids: string[], timeoutMs: number): Promise<Ended | null> {
    return new Promise((resolve) => {
      if (isReleased) return resolve(null)
      const timer = setTimeout(() => end(null), timeoutMs)
      const waiter: Waiter = { ids, answer: end }
      waiting.add(waiter)
      asking()
      function end(ended: Ended | null) {
        clearTimeout(timer)
        waiting.delete(waiter)
        resolve(ended)
      }
    })
  }

  async function askAll() {
    if (waiting.size === 0) return
    const ids = [...new Set([...waiting].flatMap((waiter) => waiter.ids))]
    const ended = new Map((await endedOf(db, ids)).map((row) => [row.id, row]))
    for (const waiter of waiting) {
      const own = waiter.ids.flatMap((id) => ended.get(id) ?? [])
      if (own.length === waiter.ids.length) waiter.answer(worst(own))
    }
  }
}

/** Makes a call that runs `act`, and once more where it was called meanwhile; never twice at once. */
function repeatable(act: () => Promise<void>): () => void {
  let isRunning = false
  let isAsked = false
  return () => {
    isAsked = true
    if (!isRunning) void run()
  }

  async function run() {
    isRunning = true
    while (isAsked) {
      isAsked = false
      await act()
    }
    isRunning = false
  }
}

/** Of deployments and of runs of backups, those that have ended. */
async function endedOf(db: Reader, ids: string[]): Promise<(Ended & { id: string })[]> {
  const rows = await db
    .selectFrom('deployment')
    .select(['id', 'state', 'reason'])
    .where('id', 'in', ids)
    .where('state', '!=', 'running')
    .execute()
  const deployments = rows.map((row) => ({ ...row, reason: reasonAnswer(row.reason).reason }))
  if (deployments.length === ids.length) return deployments
  const runs = await db
    .selectFrom('backupRun')
    .select(['id', 'status', 'reason'])
    .where('id', 'in', ids)
    .where('finishedAt', 'is not', null)
    .execute()
  return [
    ...deployments,
    ...runs.map(({ status, ...run }) => ({
      id: run.id,
      reason: runReasonAnswer(run.reason).reason,
      state: status === 'done' ? ('done' as const) : ('error' as const),
    })),
  ]
}

function worst(all: Ended[]): Ended {
  return all.find(({ state }) => state === 'error') ?? all.find(({ state }) => state === 'superseded') ?? all[0]!
}
