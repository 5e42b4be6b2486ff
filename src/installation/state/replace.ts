/**
 * Puts a restored store into a data folder while Berth is stopped. An existing store is kept under another name. The
 * new store is prepared in a staging folder and then renamed. After a crash the next start has either the old or the new
 * store, complete and with the write-ahead log that belongs to it.
 */
import { chownSync, copyFileSync, constants, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Config } from '../../config.ts'
import { restartEvents } from '../../events/queries.ts'
import { appendMachineEntry } from '../../api/audit-log.ts'
import { endAllAccess } from '../../accounts/tokens.ts'
import { markUnconfirmed } from '../../store/unconfirmed.ts'
import { openVault, type Unlocked, unlock } from '../identity.ts'
import { refuseDamaged, StoreDamaged } from '../../store/sqlite/integrity.ts'
import { makeFolder, readMasterKeys } from '../keys.ts'
import { lockFolder } from '../../store/sqlite/lock.ts'
import { openStore, stagingName } from '../../store/sqlite/open.ts'
import type { Writer } from '../../store/schema.ts'
import { decideReplacement, finishReplacement } from '../../store/sqlite/replacement.ts'
import { syncPath } from '../../store/sqlite/synced.ts'

/**
 * The completed step. `written`: the new store is in the staging folder. `ready`: the new store is migrated and synced.
 * `kept`: the old store, if any, is copied to another name. `decided`: the next start finishes the replacement. `cleared`:
 * the log of the old store is removed. `placed`: the new store has replaced the old store.
 */
export type PlacementStep = 'written' | 'ready' | 'kept' | 'decided' | 'cleared' | 'placed'

export interface PlacementOptions {
  /** Whether an existing store is replaced and kept under another name. If false, an existing store is an error. */
  replaces: boolean
  /**
   * Whether nothing has changed since the backup, because the gate held back every change. Then work and access go on,
   * and the state needs no confirmation.
   */
  isExact: boolean
  now: Date
  /** Writes the new store to a file at this path. */
  write(path: string): Promise<void>
  /** Ends the work that was running when the backup was created. */
  endInterrupted(tx: Writer, now: Date): Promise<void>
  /** Called after each step. */
  reached(step: PlacementStep): void
}

/**
 * Puts the new store in place.
 * @returns the path of the kept old store, or null if there was none
 * @throws an error with a message for the operator; the old store is still in place then
 */
export async function placeStore(config: Config, options: PlacementOptions): Promise<string | null> {
  const { dataFolder } = config
  makeFolder(dataFolder)
  const lock = lockFolder(dataFolder)
  try {
    finishReplacement(dataFolder)
    return await placeIn(config, options)
  } finally {
    rmSync(join(dataFolder, stagingName), { recursive: true, force: true })
    lock.close()
  }
}

async function placeIn(
  config: Config,
  { replaces, isExact, now, write, endInterrupted, reached }: PlacementOptions,
): Promise<string | null> {
  const [path, staging] = [join(config.dataFolder, 'berth.db'), join(config.dataFolder, stagingName)]
  if (!replaces && suffixesOf(path).length > 0) {
    throw new Error(
      `The folder ${config.dataFolder} already has a store. Use --replace to replace it; the old store is then kept ` +
        'under another name',
    )
  }
  rmSync(staging, { recursive: true, force: true })
  mkdirSync(staging, { mode: 0o700 })
  const prepared = join(staging, 'berth.db')
  await write(prepared)
  reached('written')
  await prepareStore(config, staging, now, async (tx) => {
    if (isExact) return
    await endInterrupted(tx, now)
    await endAllAccess(tx)
    await markUnconfirmed(tx, now)
  })
  giveToOwner(prepared, config.dataFolder)
  syncPath(prepared)
  reached('ready')
  const kept = suffixesOf(path).length === 0 ? null : keep(path, staging, now)
  reached('kept')
  decideReplacement(config.dataFolder, prepared)
  reached('decided')
  finishReplacement(config.dataFolder, () => reached('cleared'))
  reached('placed')
  return kept
}

/** The suffixes of the existing files of a store: the file itself and its write-ahead log. */
const suffixesOf = (path: string) => ['', '-wal'].filter((suffix) => existsSync(`${path}${suffix}`))

/** Migrates the store to this version, prepares its content, and records the restore in the store's audit log. */
async function prepareStore(
  config: Config,
  folder: string,
  now: Date,
  prepare: (tx: Writer) => Promise<void>,
): Promise<void> {
  const keys = readMasterKeys(config)
  let unlocked: Unlocked | null = null
  const store = await openStore(folder, (proof) => {
    unlocked = unlock(keys, proof)
    return unlocked.sealer
  })
  try {
    const vault = await openVault(store.db, unlocked!.sealer)
    await store.transact(async (tx) => {
      await prepare(tx)
      await restartEvents(tx, now)
      await appendMachineEntry(tx, vault, 'machine.restoreState', null, now)
    })
  } finally {
    await store.close()
  }
}

/** Gives the file to the owner of the folder. A user other than Berth's own can run the command. */
function giveToOwner(path: string, folder: string): void {
  const [{ uid, gid }, own] = [statSync(folder), statSync(path)]
  if (uid !== own.uid) chownSync(path, uid, gid)
}

/**
 * Copies the old store to a file with the time in its name, and returns the path. The write-ahead log is merged into
 * the store before. If the store is damaged, its log is copied as a second file instead.
 */
function keep(path: string, staging: string, now: Date): string {
  const kept = `${path}.replaced-${now.toISOString().replace(/[-:]|\.\d+/g, '')}`
  mergeLog(path)
  for (const suffix of suffixesOf(path).toReversed()) {
    const copy = join(staging, `kept${suffix}`)
    copyFileSync(`${path}${suffix}`, copy, constants.COPYFILE_FICLONE)
    syncPath(copy)
    renameSync(copy, `${kept}${suffix}`)
  }
  syncPath(join(path, '..'))
  return kept
}

/** Merges the write-ahead log into the file, unless the store is damaged. */
function mergeLog(path: string): void {
  try {
    refuseDamaged(path)
  } catch (error) {
    if (error instanceof StoreDamaged) return
    throw error
  }
  const file = new DatabaseSync(path)
  try {
    const { busy } = file.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number }
    if (busy !== 0) throw new Error(`Another command is using the store ${path}. Wait for its end, then repeat`)
  } finally {
    file.close()
  }
}
