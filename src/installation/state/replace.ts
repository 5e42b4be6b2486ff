/**
 * Puts another store in the place of the one that there is, or where there is none, with Berth stopped. It is made
 * ready in a folder beside, and comes into its place by one renaming: a crash leaves the old or the new one, whole.
 */
import { chownSync, copyFileSync, constants, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Config } from '../../config.ts'
import { appendMachineEntry } from '../../api/audit-log.ts'
import { openVault, type Unlocked, unlock } from '../identity.ts'
import { refuseDamaged, StoreDamaged } from '../../store/sqlite/integrity.ts'
import { makeFolder, readMasterKeys } from '../keys.ts'
import { holdFolder } from '../../store/sqlite/lock.ts'
import { openStore, stagingName } from '../../store/sqlite/open.ts'
import type { Writer } from '../../store/schema.ts'
import { syncPath } from '../../store/sqlite/synced.ts'

/** What is done at each: written; brought to this version; the old one kept; in its place. */
export type PlacingStep = 'written' | 'ready' | 'kept' | 'placed'

export interface Placing {
  /** Whether a store that is there gives way: it is kept beside. */
  replaces: boolean
  now: Date
  /** Writes the store to a file of this path. */
  write(path: string): Promise<void>
  /** Ends the work that was under way in the store that was written. */
  endInterrupted(tx: Writer, now: Date): Promise<void>
  /** Called at each step. */
  reached(step: PlacingStep): void
}

/**
 * Gives where the old one is kept; null: there was none. Throws, in a sentence for the operator, where it cannot be;
 * what was there is there still.
 */
export async function placeStore(config: Config, placing: Placing): Promise<string | null> {
  const { dataFolder } = config
  makeFolder(dataFolder)
  const lock = holdFolder(dataFolder)
  try {
    return await placeIn(config, placing)
  } finally {
    rmSync(join(dataFolder, stagingName), { recursive: true, force: true })
    lock.close()
  }
}

async function placeIn(
  config: Config,
  { replaces, now, write, endInterrupted, reached }: Placing,
): Promise<string | null> {
  const [path, staging] = [join(config.dataFolder, 'berth.db'), join(config.dataFolder, stagingName)]
  if (!replaces && partsOf(path).length > 0) {
    throw new Error(
      `There is a state in ${config.dataFolder} already. With --replace the backup takes its place, ` +
        'and it is kept beside',
    )
  }
  rmSync(staging, { recursive: true, force: true })
  mkdirSync(staging, { mode: 0o700 })
  const made = join(staging, 'berth.db')
  await write(made)
  reached('written')
  await makeReady(config, staging, (tx) => endInterrupted(tx, now), now)
  giveToOwner(made, config.dataFolder)
  syncPath(made)
  reached('ready')
  const kept = partsOf(path).length === 0 ? null : keep(path, staging, now)
  reached('kept')
  renameSync(made, path)
  syncPath(config.dataFolder)
  reached('placed')
  return kept
}

const partsOf = (path: string) => ['', '-wal'].filter((end) => existsSync(`${path}${end}`))

/** Brings it to this version, ends what was under way in it, and notes the restore in its audit log. */
async function makeReady(
  config: Config,
  folder: string,
  endInterrupted: (tx: Writer) => Promise<void>,
  now: Date,
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
      await endInterrupted(tx)
      await appendMachineEntry(tx, vault, 'machine.restoreState', null, now)
    })
  } finally {
    await store.close()
  }
}

/** Whoever restores may be another than Berth runs as. */
function giveToOwner(path: string, folder: string): void {
  const [{ uid, gid }, own] = [statSync(folder), statSync(path)]
  if (uid !== own.uid) chownSync(path, uid, gid)
}

/** A copy, in a file with its time. Its log is in it, or, where it is too damaged for that, beside it. */
function keep(path: string, staging: string, now: Date): string {
  const kept = `${path}.replaced-${now.toISOString().replace(/[-:]|\.\d+/g, '')}`
  foldLog(path)
  const parts = partsOf(path)
  for (const end of parts.toReversed()) {
    const copy = join(staging, `kept${end}`)
    copyFileSync(`${path}${end}`, copy, constants.COPYFILE_FICLONE)
    syncPath(copy)
    renameSync(copy, `${kept}${end}`)
  }
  syncPath(join(path, '..'))
  // Of a damaged one that is kept whole: the new one would take it for its own.
  for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
  return kept
}

function foldLog(path: string): void {
  try {
    refuseDamaged(path)
  } catch (error) {
    if (error instanceof StoreDamaged) return
    throw error
  }
  const file = new DatabaseSync(path)
  try {
    const { busy } = file.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number }
    if (busy !== 0) throw new Error(`Another command uses the store ${path}. Try again when it has ended`)
  } finally {
    file.close()
  }
}
