/**
 * Commits concurrent writes in batches. Each write runs in its own savepoint, so a refusal undoes only the changes of
 * its own write. All writes of a batch are answered after one sync. The SQL is portable: begin, savepoint, commit.
 */
import { CompiledQuery, type Kysely } from 'kysely'
import { StoreFault } from '../faults.ts'
import { prepared } from '../prepared.ts'
import type { Schema, Transact, Writer } from '../schema.ts'

/** The maximum number of writes in one commit. It limits how long reads wait. */
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
  /** Called after the commit succeeded or failed. The error is undefined on success. */
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
 * Returns the batch writer of a connection. If `sync` fails, no caller is answered and the process ends, because the
 * content of the disk is unknown then.
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
    // Wait for all requests of this turn of the event loop, so they are in the same batch.
    await new Promise(setImmediate)
    while (queue.length > 0) {
      const batch = queue.slice(0, batchSize)
      queue = queue.slice(batchSize)
      const commitError = await runBatch(db, batch, begin, committing)
      // A failed commit leaves nothing to sync. Earlier commits are already synced.
      if (commitError === undefined) await sync()
      ended(commitError)
      for (const write of batch) write.answer(commitError)
      await new Promise(setImmediate)
    }
    running = null
  }
}

/** Returns the error with which the complete batch failed, or undefined if the batch is committed. */
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
      // The error may already have ended the transaction. The caller gets the first error.
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
    // A failing disk may have ended the transaction. The error about the missing savepoint would hide the cause.
    await undo(tx).catch((fault: unknown) => {
      throw error instanceof StoreFault ? error : fault
    })
    await release(tx)
  }
}
