/**
 * Opens the store in one SQLite file.
 * Two connections: one that writes, in batches, and one that reads and so never waits for a batch.
 */
import { closeSync, existsSync, fdatasync, fdatasyncSync, fstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { Kysely } from 'kysely'
import { batchWriter } from './batch.ts'
import { sweepCopy } from './copy.ts'
import { faultOf, StoreFault } from '../faults.ts'
import { refuseDamaged } from './integrity.ts'
import { holdFolder } from './lock.ts'
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
  /** What keeps it from being written, or its log from being moved; null after the last write that went well. */
  fault(): StoreFault | null
  /** Waits for writes under way. */
  close(): Promise<void>
}

/** In the data folder, while a backup of the state is put in place. */
export const stagingName = 'restoring'

/** Gives what the store is sealed with, by the proof in it; undefined: it is new. Called before it is changed. */
export type Unlocking = (proof: string | undefined) => Pick<Sealer, 'seal'>

const withoutKey: Unlocking = () => ({
  seal: () => {
    throw new Error('This store holds what has to be sealed: it cannot be opened without its key')
  },
})

/**
 * `folder` exists and is writable. Throws when another process has this store open, and where it is damaged or of a
 * newer Berth. Without a key it opens a store in which there is nothing to seal.
 */
export async function openStore(folder: string, unlocking: Unlocking = withoutKey): Promise<Store> {
  const lock = holdFolder(folder)
  try {
    const { writeFile, writer } = await openNewest(folder, unlocking)
    return serve(folder, lock, writeFile, writer)
  } catch (error) {
    lock.close()
    throw faultOf(error)
  }
}

/** A file that is there is never made anew: one that is empty or cannot be read was a store. */
async function openNewest(folder: string, unlocking: Unlocking) {
  sweepLeft(folder)
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

/** Of a restore, or of a copy, that did not come to its end. */
function sweepLeft(folder: string): void {
  rmSync(join(folder, stagingName), { recursive: true, force: true })
  sweepCopy(folder)
}

/** Beside its place, into which it is put whole: a crash leaves no half of one. */
async function makeStore(path: string, unlocking: Unlocking): Promise<void> {
  const made = `${path}.new`
  for (const end of ['', '-wal', '-shm']) rmSync(`${made}${end}`, { force: true })
  const file = connect(made, false)
  const db = new Kysely<Schema>({ dialect: sqliteDialect(file, () => undefined) })
  try {
    await migrate(db, unlocking(undefined))
  } finally {
    await db.destroy()
  }
  syncPath(made)
  renameSync(made, path)
}

function serve(folder: string, lock: { close(): void }, writeFile: DatabaseSync, writer: Kysely<Schema>): Store {
  const path = join(folder, 'berth.db')
  const readFile = connect(path, true)
  const snapshots = snapshotsOn(readFile)
  const reader = new Kysely<Schema>({ dialect: sqliteDialect(readFile, snapshots.take) })
  const log = logOf(folder, writeFile, `${path}-wal`)
  let fault: StoreFault | null = null
  const durability = {
    committing: () => {
      if (log.isSlow()) snapshots.hold()
    },
    sync: log.sync,
    ended(commitError: unknown) {
      snapshots.leave()
      fault = commitError instanceof StoreFault ? commitError : null
      // On a full disk it may be the log itself that takes the room.
      fault = log.trim(fault?.isFull === true ? 0 : maxLogBytes) ?? fault
    },
  }
  // A command on the machine may write too: whoever begins with a read could not go on to write after it.
  const batches = batchWriter(writer, durability, 'begin immediate')
  return { db: reader, transact: batches.transact, fault: () => fault, close }

  async function close() {
    await batches.idle()
    snapshots.leave()
    await reader.destroy()
    // With nobody reading: what is to be nowhere is in no log either.
    if (isVacuumDue(writeFile)) vacuum(writeFile)
    await writer.destroy()
    log.close()
    lock.close()
  }
}

const metaValue = 'select "value" from "meta" where "key" = ?'

function proofIn(file: DatabaseSync): string | undefined {
  const isNew = file.prepare('select 1 from sqlite_schema where "name" = \'meta\'').get() === undefined
  return isNew ? undefined : (file.prepare(metaValue).get('masterKeyProof')?.value as string | undefined)
}

const isVacuumDue = (file: DatabaseSync) => file.prepare(metaValue).get(vacuumDue) !== undefined

/** Writes the whole file anew, so that nothing stays in it that was deleted or replaced, nor in its log. */
function vacuum(file: DatabaseSync): void {
  file.exec('pragma temp_store = memory; pragma synchronous = full; vacuum; pragma wal_checkpoint(truncate)')
  file.prepare('delete from "meta" where "key" = ?').run(vacuumDue)
  file.exec('pragma wal_checkpoint(truncate); pragma synchronous = normal')
}

/** After a sync that takes longer they are given to a thread, until so many in a row were quick again. */
const quickMs = 2
const quickAgain = 8
/** What is in the log is moved to its place in the file then. */
const maxLogBytes = 8 * 1024 * 1024

/**
 * SQLite would sync at each commit and hold up everything else meanwhile, for as long as a busy disk takes. So it does
 * not (synchronous = normal: only around checkpoints), and its log of writes is synced here: at once while the disk is
 * quick, for a thread costs more than that, and by a thread while it is slow.
 */
function logOf(folder: string, file: DatabaseSync, logPath: string) {
  const log = openLog()
  let quickInARow = quickAgain
  const isSlow = () => quickInARow < quickAgain
  return { isSlow, sync, trim, close: () => closeSync(log) }

  async function sync() {
    const start = performance.now()
    if (isSlow()) await syncByThread(log)
    else fdatasyncSync(log)
    quickInARow = performance.now() - start > quickMs ? 0 : quickInARow + 1
  }

  /**
   * Only between a commit and the next read: a snapshot in use would keep the log from beginning anew. Where another
   * process has one, nobody waits for it. Gives why it could not be: all is in the log still then, and the next commit
   * tries again.
   */
  function trim(bytes: number): StoreFault | null {
    if (fstatSync(log).size <= bytes) return null
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

  /** The log is made once, and stays while the store is open. Its name has to be on the disk too. */
  function openLog() {
    const opened = openSync(logPath, 'r')
    syncPath(folder)
    return opened
  }
}

const syncByThread = promisify(fdatasync)

function connect(path: string, readOnly: boolean): DatabaseSync {
  const file = new DatabaseSync(path, { readOnly })
  file.exec('pragma busy_timeout = 5000; pragma foreign_keys = on; pragma synchronous = normal')
  // What is deleted or replaced is overwritten; no cost of it could be measured.
  if (!readOnly) file.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; pragma secure_delete = on')
  return file
}
