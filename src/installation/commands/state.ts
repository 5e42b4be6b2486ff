/** The commands that back up Berth's own state to a file, and that restore the state from a file. */
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readOwnState, storeOf } from '../state/state.ts'
import { openState, type StateHeader } from '../state/file.ts'
import type { Bytes } from '../../dumps/streams.ts'
import type { Config } from '../../config.ts'
import { appendMachineEntry } from '../../api/audit-log.ts'
import { openStoreForCommand } from './open-store.ts'
import { readMasterKeys } from '../keys.ts'
import { StoreInUse } from '../../store/sqlite/lock.ts'
import { type PlacementOptions, placeStore } from '../state/replace.ts'
import { syncPath } from '../../store/sqlite/synced.ts'
import { endInterrupted } from '../state/interrupted.ts'

/** Only the owner can read the file, because it contains sealed password hashes. */
const ownerOnlyMode = 0o600

/**
 * Writes a backup of the state. The entry in the audit log is committed before the first byte is written.
 * @param target the path of a new file, or `-` for standard output
 * @returns the text for the operator
 */
export async function backUp(config: Config, target: string): Promise<string> {
  checkTarget(target)
  const commandStore = await openStoreForCommand(config)
  try {
    const state = await readOwnState(config, new Date())
    try {
      await commandStore.transact((tx) =>
        appendMachineEntry(tx, commandStore.vault, 'machine.backUpState', null, new Date()),
      )
      if (target === '-') await pipeline(Readable.from(state.sealed()), process.stdout)
      else await writeFile(resolve(target), state.sealed())
      return backedUpText(state.header, target)
    } finally {
      await state.close()
    }
  } finally {
    await commandStore.close()
  }
}

function checkTarget(target: string) {
  if (target === '-' && process.stdout.isTTY) {
    throw new Error(
      'Standard output is a terminal. Give a file name, or redirect the output: berth state backup - > FILE',
    )
  }
  if (target !== '-' && existsSync(target)) {
    throw new Error(`The file ${target} already exists, and a backup overwrites no file. Choose another name`)
  }
}

/** Writes a file with a temporary name, and renames the file when it is complete and synced to the disk. */
async function writeFile(path: string, bytes: Bytes): Promise<void> {
  const part = `${path}.part`
  // An existing file would keep its mode.
  rmSync(part, { force: true })
  try {
    await pipeline(Readable.from(bytes), createWriteStream(part, { flags: 'wx', mode: ownerOnlyMode, flush: true }))
    renameSync(part, path)
    syncPath(dirname(path))
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

function backedUpText({ keyId, madeAt, sizeBytes, storeVersion }: StateHeader, target: string) {
  return [
    `The state as of ${madeAt} (${storeVersion}, ${sizeBytes} bytes) was written to ` +
      `${target === '-' ? 'standard output' : resolve(target)}.`,
    `A restore needs the master key ${keyId}, which the backup does not contain. Keep a copy of the key elsewhere.`,
  ].join('\n')
}

type Restore = Pick<PlacementOptions, 'replaces' | 'isExact'>

/** Restores the state into a data folder that has no store. */
export const restoreIntoEmpty = (config: Config, source: string): Promise<string> =>
  restore(config, source, { replaces: false, isExact: false })

/** Restores the state. Keeps an existing store under another name. */
export const restoreReplacing = (config: Config, source: string): Promise<string> =>
  restore(config, source, { replaces: true, isExact: false })

/** Restores the state from before an upgrade that was not confirmed: nothing was changed since. */
export const restoreExact = (config: Config, source: string): Promise<string> =>
  restore(config, source, { replaces: true, isExact: true })

async function restore(config: Config, source: string, options: Restore): Promise<string> {
  // Check before reading, because standard input can be an endless stream.
  checkKeys(config)
  const input = source === '-' ? process.stdin : createReadStream(source)
  try {
    return await restoreFrom(config, input, source, options)
  } catch (error) {
    if (!(error instanceof StoreInUse)) throw error
    throw new Error(`Berth is running on ${config.dataFolder}. Stop Berth, then restore`, { cause: error })
  } finally {
    input.destroy()
  }
}

async function restoreFrom(config: Config, input: Readable, source: string, options: Restore): Promise<string> {
  const opened = await openState(input).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`There is no file ${source}`, { cause: error }) : error
  })
  const store = storeOf(opened, config)
  const write = (path: string) => pipeline(Readable.from(store), createWriteStream(path, { mode: ownerOnlyMode }))
  const kept = await placeStore(config, {
    ...options,
    now: new Date(),
    write,
    endInterrupted,
    reached: () => undefined,
  })
  return restoredText(opened.header, config, kept, options)
}

function checkKeys(config: Config) {
  try {
    readMasterKeys(config)
  } catch (cause) {
    throw new Error(`${(cause as Error).message}. Put the key of the backup there`, { cause })
  }
}

function restoredText(
  { installationId, madeAt }: StateHeader,
  { dataFolder }: Config,
  kept: string | null,
  { isExact }: Restore,
): string {
  return [
    `The state of ${madeAt} was restored into ${dataFolder} (installation ${installationId}).`,
    'If it ran on another machine or in another data folder before, start Berth with berth up --take-over.',
    ...(kept === null ? [] : [`The old store is kept in ${kept}.`]),
    ...(isExact ? [] : ['', ...confirmationText]),
  ].join('\n')
}

const confirmationText = [
  'Start Berth with berth up. Databases keep running. If the state differs from what runs, Berth changes nothing',
  'until an administrator has confirmed the state: sign in (berth login), then run berth state review.',
  'Sessions, API tokens and invitations of the restored state are invalid. Never run two Berths with this state.',
]
