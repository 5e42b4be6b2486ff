/**
 * Calls that wait for the end of deployments and backup runs (`Prefer: wait`). While calls wait, the store is queried
 * after each transaction.
 */
import type { DeploymentTable } from './table.ts'
import type { Log } from '../lib/log.ts'
import type { Reader, Transact, Writer } from '../store/schema.ts'

/** The outcome of a deployment or backup run. */
export interface Ended extends Pick<DeploymentTable, 'state'> {
  /** The reason as a message; null without a reason. */
  reason: string | null
  /** The code of the reason; null without a reason. */
  reasonCode: string | null
  /** The message for callers that do not reach all projects, if it is another one. */
  limitedReason?: string | null
}

export interface EndedWork extends Ended {
  id: string
}

/**
 * Returns the outcomes of those ids whose work has ended. Each feature with long work has such a function for its own
 * table.
 */
export type FindEnded = (db: Reader, ids: string[]) => Promise<EndedWork[]>

interface Waiter {
  ids: string[]
  answer(ended: Ended | null): void
}

export interface Waiters {
  /**
   * Waits until all of the work has ended. If a part of it failed or was superseded, returns the outcome of that part.
   * @param ids the ids of deployments or backup runs
   * @returns the outcome; null if work still runs after the timeout or when `release` is called
   */
  settled(ids: string[], timeoutMs: number): Promise<Ended | null>
  /** Returns a `transact` that checks all waiting calls after each transaction. */
  checkedAfter(transact: Transact): Transact
  /** Ends all present and future waits with null. The work itself continues. */
  release(): void
}

export function waitersOn(db: Reader, log: Log, sources: readonly FindEnded[]): Waiters {
  const waiting = new Set<Waiter>()
  let isReleased = false
  const check = coalesced(() => checkAll().catch((error: unknown) => log.error('checking waiting calls failed', error)))
  return { settled, checkedAfter, release }

  function checkedAfter(transact: Transact): Transact {
    return async <T>(work: (tx: Writer) => Promise<T>) => {
      const result = await transact(work)
      if (waiting.size > 0) check()
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
      check()
      function end(ended: Ended | null) {
        clearTimeout(timer)
        waiting.delete(waiter)
        resolve(ended)
      }
    })
  }

  async function checkAll() {
    if (waiting.size === 0) return
    const ids = [...new Set([...waiting].flatMap((waiter) => waiter.ids))]
    const ended = new Map((await endedOf(db, sources, ids)).map((row) => [row.id, row]))
    for (const waiter of waiting) {
      const own = waiter.ids.flatMap((id) => ended.get(id) ?? [])
      if (own.length === waiter.ids.length) waiter.answer(worst(own))
    }
  }
}

/** Returns a function that runs `act`, never twice at the same time. Calls during a run cause one more run after it. */
function coalesced(act: () => Promise<void>): () => void {
  let isRunning = false
  let isRequested = false
  return () => {
    isRequested = true
    if (!isRunning) void run()
  }

  async function run() {
    isRunning = true
    while (isRequested) {
      isRequested = false
      await act()
    }
    isRunning = false
  }
}

/** Queries the sources in order, each for the ids that no previous source has found. */
async function endedOf(db: Reader, sources: readonly FindEnded[], ids: string[]): Promise<EndedWork[]> {
  const endedById = new Map<string, EndedWork>()
  for (const findEnded of sources) {
    const rest = ids.filter((id) => !endedById.has(id))
    if (rest.length === 0) break
    for (const work of await findEnded(db, rest)) endedById.set(work.id, work)
  }
  return [...endedById.values()]
}

/** Returns a failed outcome if there is one, otherwise a superseded one, otherwise the first. */
function worst(all: Ended[]): Ended {
  return all.find(({ state }) => state === 'error') ?? all.find(({ state }) => state === 'superseded') ?? all[0]!
}
