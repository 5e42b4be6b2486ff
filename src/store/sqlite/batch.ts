/**
 * Writes that wait at the same moment share one commit: each runs in its own savepoint, so that a refusal
 * undoes only itself, and all are answered after the one sync. Portable: begin, savepoint, commit.
 */
import { CompiledQuery, type Kysely } from 'kysely'
import { StoreFault } from '../faults.ts'
import { prepared } from '../prepared.ts'
import type { Schema, Transact, Writer } from '../schema.ts'

/** So many share a commit at most: bounds the time for which reads wait. */
const batchSize = 64

const statement = (sql: string) => prepared(() => ({ compile: () => CompiledQuery.raw(sql) }))
type Statement = ReturnType<typeof statement>

const commit = statement('commit')
const rollback = statement('rollback')
const savepoint = statement('savepoint one')
const release = statement('release savepoint one')
const undo = statement('rollback to savepoint one')

interface Waiting {
  work(tx: Writer): Promise<unknown>
  /** Called after the commit, or after the commit failed. */
  answer(commitError: unknown): void
  /** What the work gave, or threw. */
  outcome: () => unknown
}

export interface Durability {
  /** Before each commit. */
  committing(): void
  /** Resolves once what was committed is on the disk. Not called where the commit failed. */
  sync(): Promise<void>
  /** After that, before anyone is answered; with what the commit failed of, undefined where it did not. */
  ended(commitError: unknown): void
}

export interface BatchWriter {
  transact: Transact
  idle(): Promise<void>
}

/**
 * `beginning` begins a transaction that writes. Where the disk cannot be synced nobody is answered, and the process
 * ends: what is on it is not known any more.
 */
export function batchWriter(
  db: Kysely<Schema>,
  { committing, sync, ended }: Durability,
  beginning = 'begin',
): BatchWriter {
  const begin = statement(beginning)
  let queue: Waiting[] = []
  let running: Promise<void> | null = null
  return {
    transact,
    idle: async () => {
      while (running !== null) await running
    },
  }

  function transact<T>(work: (tx: Writer) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiting: Waiting = {
        work,
        outcome: () => {
          throw new Error('not run')
        },
        answer(commitError) {
          if (commitError !== undefined) return reject(commitError)
          try {
            resolve(waiting.outcome() as T)
          } catch (error) {
            reject(error)
          }
        },
      }
      queue.push(waiting)
      running ??= drain()
    })
  }

  async function drain() {
    // Lets all requests of this turn of the event loop join.
    await new Promise(setImmediate)
    while (queue.length > 0) {
      const batch = queue.slice(0, batchSize)
      queue = queue.slice(batchSize)
      const commitError = await runBatch(db, batch, begin, committing)
      // What failed left nothing to sync, and what was before it is on the disk already.
      if (commitError === undefined) await sync()
      ended(commitError)
      for (const waiting of batch) waiting.answer(commitError)
      await new Promise(setImmediate)
    }
    running = null
  }
}

/** Gives what made the whole batch fail; undefined when it is committed. */
async function runBatch(
  db: Kysely<Schema>,
  batch: Waiting[],
  begin: Statement,
  committing: () => void,
): Promise<unknown> {
  return db.connection().execute(async (tx) => {
    try {
      await begin(tx)
      for (const waiting of batch) await runOne(tx, waiting)
      committing()
      await commit(tx)
      return undefined
    } catch (error) {
      // What failed may have ended the transaction by itself: the first error is the one to tell.
      await rollback(tx).catch(() => undefined)
      return error ?? new Error('commit failed')
    }
  })
}

async function runOne(tx: Writer, waiting: Waiting) {
  await savepoint(tx)
  try {
    const value = await waiting.work(tx)
    waiting.outcome = () => value
    await release(tx)
  } catch (error) {
    waiting.outcome = () => {
      throw error
    }
    // A disk that fails may have ended the whole transaction: there is no savepoint then, and that says nothing.
    await undo(tx).catch((fault: unknown) => {
      throw error instanceof StoreFault ? error : fault
    })
    await release(tx)
  }
}
