/**
 * Opens the store, which is one SQLite file. One connection writes in batches. Another connection reads, so reads do
 * not wait for a batch.
 */
import { closeSync, existsSync, fdatasync, fdatasyncSync, fstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { Kysely } from 'kysely'
import { batchWriter } from './batch.ts'
import { removeAbandonedCopy } from './copy.ts'
import { faultOf, StoreFault } from '../faults.ts'
import { refuseDamaged } from './integrity.ts'
import { lockFolder } from './lock.ts'
import { migrate } from '../migrations.ts'
import type { Reader, Schema, Transact } from '../schema.ts'
import { snapshotsOn } from './snapshots.ts'
import { sqliteDialect } from './dialect.ts'
import { vacuumDue } from '../vacuum-due.ts'
import { finishReplacement } from './replacement.ts'
import { syncPath } from './synced.ts'
import type { Sealer } from '../vault.ts'

export interface Store {
  db: Reader
  transact: Transact
  /** Returns the fault of the last write or checkpoint, or null if both succeeded. */
  fault(): StoreFault | null
  /** Waits for writes under way, then closes both connections. */
  close(): Promise<void>
}

/** The subfolder of the data folder in which a backup of the state is prepared before it replaces the store. */
export const stagingName = 'restoring'

/**
 * Returns the sealer for the store. It is called before the store is changed.
 * @param proof the store's proof of its master key, or undefined for a new store
 * @throws if the key does not fit the proof
 */
export type Unlocking = (proof: string | undefined) => Pick<Sealer, 'seal'>

const withoutKey: Unlocking = () => ({
  seal: () => {
    throw new Error('This store cannot be opened without its master key, because a migration has to seal values')
  },
})

/**
 * Opens the store of a data folder, and creates or migrates it if necessary.
 * @param folder exists and is writable
 * @param unlocking the default throws if a migration has to seal a value
 * @throws if another process has the store open, or the store is damaged or written by a newer Berth
 */
export async function openStore(folder: string, unlocking: Unlocking = withoutKey): Promise<Store> {
  const lock = lockFolder(folder)
  try {
    const { writeFile, writer } = await openNewest(folder, unlocking)
    return serve(folder, lock, writeFile, writer)
  } catch (error) {
    lock.close()
    throw faultOf(error)
  }
}

/** Opens the store and migrates it. Creates a store only if there is no file: an empty file may have been a store. */
async function openNewest(folder: string, unlocking: Unlocking) {
  removeAbandoned(folder)
  finishReplacement(folder)
  const path = join(folder, 'berth.db')
  refuseDamaged(path)
  if (!existsSync(path)) await createStore(path, unlocking)
  const writeFile = connect(path, false)
  const writer = new Kysely<Schema>({ dialect: sqliteDialect(writeFile, () => undefined) })
  try {
    await migrate(writer, unlocking(proofIn(writeFile)))
    if (isVacuumDue(writeFile)) vacuum(writeFile)
    return { writeFile, writer }
  } catch (error) {
    await writer.destroy()
    throw error
  }
}

/** Removes the files of an interrupted restore or copy. */
function removeAbandoned(folder: string): void {
  rmSync(join(folder, stagingName), { recursive: true, force: true })
  removeAbandonedCopy(folder)
}

/** Creates the store in another file and renames the file. A crash leaves no incomplete store. */
async function createStore(path: string, unlocking: Unlocking): Promise<void> {
  const newPath = `${path}.new`
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${newPath}${suffix}`, { force: true })
  const file = connect(newPath, false)
  const db = new Kysely<Schema>({ dialect: sqliteDialect(file, () => undefined) })
  try {
    await migrate(db, unlocking(undefined))
  } finally {
    await db.destroy()
  }
  syncPath(newPath)
  renameSync(newPath, path)
}

function serve(folder: string, lock: { close(): void }, writeFile: DatabaseSync, writer: Kysely<Schema>): Store {
  const path = join(folder, 'berth.db')
  const readFile = connect(path, true)
  const snapshots = snapshotsOn(readFile)
  const reader = new Kysely<Schema>({ dialect: sqliteDialect(readFile, snapshots.take) })
  const wal = walOf(folder, writeFile, `${path}-wal`)
  let fault: StoreFault | null = null
  const durability = {
    committing: () => {
      if (wal.isSlow()) snapshots.pin()
    },
    sync: wal.sync,
    ended(commitError: unknown) {
      snapshots.release()
      fault = commitError instanceof StoreFault ? commitError : null
      // The WAL may be the cause of the full disk.
      fault = wal.trim(fault?.isFull === true ? 0 : maxWalBytes) ?? fault
    },
  }
  // After a plain `begin`, a write would fail if another process wrote after the first read of the transaction.
  const batches = batchWriter(writer, durability, 'begin immediate')
  return { db: reader, transact: batches.transact, fault: () => fault, close }

  async function close() {
    await batches.idle()
    snapshots.release()
    await reader.destroy()
    // Only now: an open reader would prevent the truncation of the WAL.
    if (isVacuumDue(writeFile)) vacuum(writeFile)
    await writer.destroy()
    wal.close()
    lock.close()
  }
}

const metaValue = 'select "value" from "meta" where "key" = ?'

function proofIn(file: DatabaseSync): string | undefined {
  const isNew = file.prepare('select 1 from sqlite_schema where "name" = \'meta\'').get() === undefined
  return isNew ? undefined : (file.prepare(metaValue).get('masterKeyProof')?.value as string | undefined)
}

const isVacuumDue = (file: DatabaseSync) => file.prepare(metaValue).get(vacuumDue) !== undefined

/** Rewrites the complete file. Deleted and replaced data then remain neither in the file nor in the WAL. */
function vacuum(file: DatabaseSync): void {
  file.exec('pragma temp_store = memory; pragma synchronous = full; vacuum; pragma wal_checkpoint(truncate)')
  file.prepare('delete from "meta" where "key" = ?').run(vacuumDue)
  file.exec('pragma wal_checkpoint(truncate); pragma synchronous = normal')
}

/** A sync that takes longer is slow. The syncs after a slow one run in a thread. */
const maxQuickMs = 2
/** After this number of consecutive quick syncs, syncs run directly again. */
const minQuickSyncs = 8
/** A larger WAL is merged into the file (a checkpoint). */
const maxWalBytes = 8 * 1024 * 1024

/**
 * Syncs and checkpoints the WAL. With `synchronous = full`, SQLite would block the event loop during the sync of each
 * commit. With `normal`, SQLite syncs at checkpoints only, so Berth calls `sync` after each commit. While the
 * disk is quick, the sync blocks the event loop, because a thread costs more. While the disk is slow, the sync runs in
 * a thread.
 */
function walOf(folder: string, file: DatabaseSync, walPath: string) {
  const wal = openWal()
  let quickSyncs = minQuickSyncs
  const isSlow = () => quickSyncs < minQuickSyncs
  return { isSlow, sync, trim, close: () => closeSync(wal) }

  async function sync() {
    const start = performance.now()
    if (isSlow()) await syncInThread(wal)
    else fdatasyncSync(wal)
    quickSyncs = performance.now() - start > maxQuickMs ? 0 : quickSyncs + 1
  }

  /**
   * Merges the WAL into the file and truncates the WAL if it is larger than `bytes`. Call this only between a commit
   * and the next read, because a snapshot prevents the truncation. Does not wait for snapshots of other processes.
   * @returns the fault if the checkpoint failed, else null. After a fault no data is lost, and the next commit retries
   */
  function trim(bytes: number): StoreFault | null {
    if (fstatSync(wal).size <= bytes) return null
    try {
      file.exec('pragma busy_timeout = 0; pragma wal_checkpoint(truncate)')
      return null
    } catch (error) {
      const fault = faultOf(error)
      if (fault instanceof StoreFault) return fault
      throw error
    } finally {
      file.exec('pragma busy_timeout = 5000')
    }
  }

  /** Opens the WAL, which is the same file while the store is open. Its name in the folder has to be synced too. */
  function openWal() {
    const opened = openSync(walPath, 'r')
    syncPath(folder)
    return opened
  }
}

const syncInThread = promisify(fdatasync)

function connect(path: string, readOnly: boolean): DatabaseSync {
  const file = new DatabaseSync(path, { readOnly })
  file.exec('pragma busy_timeout = 5000; pragma foreign_keys = on; pragma synchronous = normal')
  // secure_delete overwrites deleted and replaced data. It has no measurable cost.
  if (!readOnly) file.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; pragma secure_delete = on')
  return file
}
