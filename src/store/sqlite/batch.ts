/**
 * Commits writes that wait at the same time in one batch. Each write runs in its own savepoint, so that a refusal
 * undoes only its own changes. All are answered after one sync. Uses portable SQL: begin, savepoint, commit.
 */
import { CompiledQuery, type Kysely } from 'kysely'
import { StoreFault } from '../faults.ts'
import { prepared } from '../prepared.ts'
import type { Schema, Transact, Writer } from '../schema.ts'

/** The maximum number of writes in one commit. Limits the time for which reads wait. */
const batchSize = 64

const statement = (sql: string) => prepared(() => ({ compile: () => CompiledQuery.raw(sql) }))
type Statement = ReturnType<typeof statement>

const commit = statement('commit')
const rollback = statement('rollback')
const savepoint = statement('savepoint one')
const release = statement('release savepoint one')
const undo = statement('rollback to savepoint one')

interface QueuedWrite {
  work(tx: Writer): Promise<unknown>
  /** Called after the commit, or after the commit failed. */
  answer(commitError: unknown): void
  /** Returns the result of the work, or throws its error. */
  outcome: () => unknown
}

/** The hooks of the batch writer around a commit. */
export interface Durability {
  /** Called before each commit. */
  committing(): void
  /** Syncs the commit to the disk. Not called if the commit failed. */
  sync(): Promise<void>
  /** Called after the sync or the failed commit, before any caller is answered. The error is undefined on success. */
  ended(commitError: unknown): void
}

export interface BatchWriter {
  transact: Transact
  /** Resolves when no write is waiting or running. */
  idle(): Promise<void>
}

/**
 * If `sync` fails, no caller is answered and the process ends, because the content of the disk is unknown then.
 * @param beginning the statement that begins a write transaction
 */
export function batchWriter(
  db: Kysely<Schema>,
  { committing, sync, ended }: Durability,
  beginning = 'begin',
): BatchWriter {
  const begin = statement(beginning)
  let queue: QueuedWrite[] = []
  let running: Promise<void> | null = null
  return {
    transact,
    idle: async () => {
      while (running !== null) await running
    },
  }

  function transact<T>(work: (tx: Writer) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const write: QueuedWrite = {
        work,
        outcome: () => {
          throw new Error('not run')
        },
        answer(commitError) {
          if (commitError !== undefined) return reject(commitError)
          try {
            resolve(write.outcome() as T)
          } catch (error) {
            reject(error)
          }
        },
      }
      queue.push(write)
      running ??= drain()
    })
  }

  async function drain() {
    // All requests of this turn of the event loop join the batch.
    await new Promise(setImmediate)
    while (queue.length > 0) {
      const batch = queue.slice(0, batchSize)
      queue = queue.slice(batchSize)
      const commitError = await runBatch(db, batch, begin, committing)
      // A failed commit left nothing to sync, and earlier commits are synced already.
      if (commitError === undefined) await sync()
      ended(commitError)
      for (const write of batch) write.answer(commitError)
      await new Promise(setImmediate)
    }
    running = null
  }
}

/** Returns the error that made the whole batch fail, or undefined if the batch is committed. */
async function runBatch(
  db: Kysely<Schema>,
  batch: QueuedWrite[],
  begin: Statement,
  committing: () => void,
): Promise<unknown> {
  return db.connection().execute(async (tx) => {
    try {
      await begin(tx)
      for (const write of batch) await runOne(tx, write)
      committing()
      await commit(tx)
      return undefined
    } catch (error) {
      // The error may have ended the transaction already. The caller gets the first error.
      await rollback(tx).catch(() => undefined)
      return error ?? new Error('commit failed')
    }
  })
}

async function runOne(tx: Writer, write: QueuedWrite) {
  await savepoint(tx)
  try {
    const value = await write.work(tx)
    write.outcome = () => value
    await release(tx)
  } catch (error) {
    write.outcome = () => {
      throw error
    }
    // A failing disk may have ended the transaction. The error about the missing savepoint is of no use then.
    await undo(tx).catch((fault: unknown) => {
      throw error instanceof StoreFault ? error : fault
    })
    await release(tx)
  }
}
