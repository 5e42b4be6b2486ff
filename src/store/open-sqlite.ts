/**
 * Opens the store in one SQLite file.
 * Two connections: one that writes, in batches, and one that reads and so never waits for a batch.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { batchWriter } from './batch.ts'
import { migrate } from './migrations.ts'
import type { Reader, Schema, Transact } from './schema.ts'
import { snapshotsOn } from './snapshots.ts'
import { sqliteDialect } from './sqlite-dialect.ts'

export interface Store {
  db: Reader
  transact: Transact
  /** Waits for writes under way. */
  close(): Promise<void>
}

/** `folder` exists and is writable. Throws when another process has this store open. */
export async function openStore(folder: string): Promise<Store> {
  const lock = holdLock(join(folder, 'berth.lock'))
  const path = join(folder, 'berth.db')
  const writer = new Kysely<Schema>({ dialect: sqliteDialect(open(path, false), () => undefined) })
  await migrate(writer)
  const readFile = open(path, true)
  const snapshots = snapshotsOn(readFile)
  const reader = new Kysely<Schema>({ dialect: sqliteDialect(readFile, snapshots.take) })
  const batches = batchWriter(writer, snapshots.leave)
  return { db: reader, transact: batches.transact, close }

  async function close() {
    await batches.idle()
    snapshots.leave()
    await Promise.all([reader.destroy(), writer.destroy()])
    lock.close()
  }
}

/** A lock that ends with the process, however that ends. */
function holdLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(path)
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (cause) {
    throw new Error(`Another Berth is running on this data folder (${path} is locked)`, { cause })
  }
  return lock
}

function open(path: string, readOnly: boolean): DatabaseSync {
  const file = new DatabaseSync(path, { readOnly })
  file.exec('pragma busy_timeout = 5000; pragma foreign_keys = on; pragma synchronous = full')
  if (!readOnly) file.exec('pragma journal_mode = wal')
  return file
}
