/**
 * Opens the store, which is one SQLite file. One connection writes in batches. Another connection reads, so that reads
 * do not wait for a batch.
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
import { syncPath } from './synced.ts'
import type { Sealer } from '../vault.ts'

export interface Store {
  db: Reader
  transact: Transact
  /** The fault of the last write or checkpoint, or null if it succeeded. */
  fault(): StoreFault | null
  /** Waits for writes under way, then closes both connections. */
  close(): Promise<void>
}

/** The subfolder of the data folder in which a backup of the state is prepared before it replaces the store. */
export const stagingName = 'restoring'

/**
 * Returns the sealer for the store. Called before the store is changed.
 * @param proof the store's proof of its master key, or undefined for a new store
 * @throws if the key does not fit the proof
 */
export type Unlocking = (proof: string | undefined) => Pick<Sealer, 'seal'>

const withoutKey: Unlocking = () => ({
  seal: () => {
    throw new Error('This store holds what has to be sealed: it cannot be opened without its key')
  },
})

/**
 * Opens the store of a data folder, and creates or migrates it if necessary.
 * @param folder exists and is writable
 * @param unlocking by default, for a store in which a migration has nothing to seal
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

/** Never replaces an existing file: an empty or unreadable one was a store. */
async function openNewest(folder: string, unlocking: Unlocking) {
  removeAbandoned(folder)
  const path = join(folder, 'berth.db')
  refuseDamaged(path)
  if (!existsSync(path)) await makeStore(path, unlocking)
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

/** Makes the store in another file and renames it, so that a crash leaves no incomplete store. */
async function makeStore(path: string, unlocking: Unlocking): Promise<void> {
  const newPath = `${path}.new`
  for (const end of ['', '-wal', '-shm']) rmSync(`${newPath}${end}`, { force: true })
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
      // On a full disk, the WAL itself may take the space.
      fault = wal.trim(fault?.isFull === true ? 0 : maxWalBytes) ?? fault
    },
  }
  // With a plain `begin`, a write after a read would fail if a command on the machine wrote in between.
  const batches = batchWriter(writer, durability, 'begin immediate')
  return { db: reader, transact: batches.transact, fault: () => fault, close }

  async function close() {
    await batches.idle()
    snapshots.release()
    await reader.destroy()
    // After the reader is closed, so that the WAL can be truncated too.
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

/** Rewrites the whole file, so that deleted and replaced data remain neither in the file nor in the WAL. */
function vacuum(file: DatabaseSync): void {
  file.exec('pragma temp_store = memory; pragma synchronous = full; vacuum; pragma wal_checkpoint(truncate)')
  file.prepare('delete from "meta" where "key" = ?').run(vacuumDue)
  file.exec('pragma wal_checkpoint(truncate); pragma synchronous = normal')
}

/** After a slower sync, syncs run in a thread until `quickAgain` syncs in a row were quick. */
const quickMs = 2
const quickAgain = 8
/** A larger WAL is moved into the file (a checkpoint). */
const maxWalBytes = 8 * 1024 * 1024

/**
 * Syncs and checkpoints the WAL. With `synchronous = full`, SQLite would block the event loop during the sync of each
 * commit. With `normal` SQLite syncs around checkpoints only, and the WAL is synced here instead: directly while the
 * disk is quick, because a thread costs more than such a sync, and in a thread while the disk is slow.
 */
function walOf(folder: string, file: DatabaseSync, walPath: string) {
  const wal = openWal()
  let quickInARow = quickAgain
  const isSlow = () => quickInARow < quickAgain
  return { isSlow, sync, trim, close: () => closeSync(wal) }

  async function sync() {
    const start = performance.now()
    if (isSlow()) await syncByThread(wal)
    else fdatasyncSync(wal)
    quickInARow = performance.now() - start > quickMs ? 0 : quickInARow + 1
  }

  /**
   * Truncates the WAL if it is larger than `bytes`. Call this only between a commit and the next read, because a
   * snapshot in use prevents truncation. Does not wait for snapshots of other processes. Returns the fault if the
   * checkpoint failed: no data is lost then, and the next commit tries again.
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

  /** The WAL is the same file while the store is open. Its name in the folder has to be synced too. */
  function openWal() {
    const opened = openSync(walPath, 'r')
    syncPath(folder)
    return opened
  }
}

const syncByThread = promisify(fdatasync)

function connect(path: string, readOnly: boolean): DatabaseSync {
  const file = new DatabaseSync(path, { readOnly })
  file.exec('pragma busy_timeout = 5000; pragma foreign_keys = on; pragma synchronous = normal')
  // secure_delete overwrites deleted and replaced data. No cost could be measured.
  if (!readOnly) file.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; pragma secure_delete = on')
  return file
}
