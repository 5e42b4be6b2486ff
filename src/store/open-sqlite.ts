/**
 * Opens the store in one SQLite file.
 * Two connections: one that writes, in batches, and one that reads and so never waits for a batch.
 */
import { closeSync, fdatasync, fdatasyncSync, fstatSync, fsyncSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
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
  const writeFile = connect(path, false)
  const writer = new Kysely<Schema>({ dialect: sqliteDialect(writeFile, () => undefined) })
  await migrate(writer)
  const readFile = connect(path, true)
  const snapshots = snapshotsOn(readFile)
  const reader = new Kysely<Schema>({ dialect: sqliteDialect(readFile, snapshots.take) })
  const log = logOf(folder, writeFile, `${path}-wal`)
  const batches = batchWriter(writer, {
    committing: () => { if (log.isSlow()) snapshots.hold() },
    sync: log.sync,
    committed() {
      snapshots.leave()
      log.trim()
    },
  })
  return { db: reader, transact: batches.transact, close }

  async function close() {
    await batches.idle()
    snapshots.leave()
    await Promise.all([reader.destroy(), writer.destroy()])
    log.close()
    lock.close()
  }
}

/** A sync that takes longer is given to a thread from then on, until one is quick again. */
const quickMs = 2
/** What is in the log is moved to its place in the file then. */
const mostLogBytes = 8 * 1024 * 1024

/**
 * SQLite would sync at each commit and hold up everything else meanwhile, for as long as a busy disk takes. So it does
 * not (synchronous = normal: only around checkpoints), and its log of writes is synced here: at once while the disk is
 * quick, for a thread costs more than that, and by a thread while it is slow.
 */
function logOf(folder: string, file: DatabaseSync, logPath: string) {
  let log: number | null = null
  let isSlow = false
  return { isSlow: () => isSlow, sync, trim, close: () => { if (log !== null) closeSync(log) } }

  async function sync() {
    log ??= openLog()
    const start = performance.now()
    if (isSlow) await syncByThread(log)
    else fdatasyncSync(log)
    isSlow = performance.now() - start > quickMs
  }

  /** Only between a commit and the next read: a snapshot in use would keep the log from beginning anew. */
  function trim() {
    if (log !== null && fstatSync(log).size > mostLogBytes) file.exec('pragma wal_checkpoint(truncate)')
  }

  /** The log is made once, and stays while the store is open. Its name has to be on the disk too. */
  function openLog() {
    const opened = openSync(logPath, 'r')
    const around = openSync(folder, 'r')
    fsyncSync(around)
    closeSync(around)
    return opened
  }
}

const syncByThread = promisify(fdatasync)

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

function connect(path: string, readOnly: boolean): DatabaseSync {
  const file = new DatabaseSync(path, { readOnly })
  file.exec('pragma busy_timeout = 5000; pragma foreign_keys = on; pragma synchronous = normal')
  if (!readOnly) file.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0')
  return file
}
