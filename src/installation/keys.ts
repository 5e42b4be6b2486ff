/**
 * The secrets in the data folder: the installation token and the master key, each in a file with mode 0600. While the
 * master key is being replaced, the next key is in a third file.
 */
import { randomBytes } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { closeToOthers } from './permissions.ts'
import { syncPath } from '../store/sqlite/synced.ts'
import { newToken } from '../accounts/tokens.ts'

export interface Keys {
  masterKey: Buffer
  /**
   * The key that replaces the master key: the next key file, which exists during a replacement and after an interrupted
   * one, or the setting BERTH_NEW_MASTER_KEY. The store may already be sealed with this key. Null if there is none.
   */
  nextKey: Buffer | null
  installationToken: string
  /** The path of the file that contains the token, or the name of the setting. */
  tokenLocation: string
}

const keyPath = (config: Config) => join(config.dataFolder, 'master.key')
const nextPath = (config: Config) => join(config.dataFolder, 'master.key.next')

/**
 * Reads the secrets. Creates a missing folder and missing secrets, and removes the access of other users to the folder.
 * @throws if the folder cannot be written, or a file does not contain a valid key
 */
export function openKeys(config: Config): Keys {
  makeFolder(config.dataFolder)
  closeToOthers(config.dataFolder)
  accessSync(config.dataFolder, constants.R_OK | constants.W_OK)
  if (config.masterKey === null) readOrCreate(keyPath(config), newKeyText)
  const tokenPath = join(config.dataFolder, 'access-token')
  const installationToken = config.accessToken ?? readOrCreate(tokenPath, () => newToken('installation'))
  const tokenLocation = config.accessToken === null ? tokenPath : 'BERTH_ACCESS_TOKEN'
  return { ...readMasterKeys(config), installationToken, tokenLocation }
}

/**
 * Reads the master keys without creating any.
 * @throws if there is no master key, or its file does not contain a valid key
 */
export function readMasterKeys(config: Config): Pick<Keys, 'masterKey' | 'nextKey'> {
  if (config.masterKey !== null) return { masterKey: config.masterKey, nextKey: config.newMasterKey }
  const path = keyPath(config)
  if (!existsSync(path)) throw new Error(`There is no master key in ${path} or in the setting BERTH_MASTER_KEY`)
  const masterKey = decodeKey(readFileSync(path, 'utf8'))
  if (masterKey === null) throw new Error(`${path} does not contain a master key (32 bytes in base64)`)
  // An interrupted write leaves an incomplete key file. Nothing is sealed with that key yet.
  const nextKey = existsSync(nextPath(config)) ? decodeKey(readFileSync(nextPath(config), 'utf8')) : null
  return { masterKey, nextKey }
}

/** Writes a new random key to `master.key.next`, and syncs the file to the disk. */
export function writeNextKey(config: Config): Buffer {
  const text = newKeyText()
  // A user other than Berth's own can run the command. Berth must be able to read the file.
  writeSynced(nextPath(config), text, statSync(keyPath(config)))
  syncPath(config.dataFolder)
  return decodeKey(text)!
}

/** Replaces the master key file by the next key file. Does nothing if the keys are settings. */
export function promoteNextKey(config: Config): void {
  if (config.masterKey !== null) return
  renameSync(nextPath(config), keyPath(config))
  syncPath(config.dataFolder)
}

/** Deletes the next key file that an interrupted replacement has left. Does nothing if the keys are settings. */
export function deleteNextKey(config: Config): void {
  if (config.masterKey !== null || !existsSync(nextPath(config))) return
  rmSync(nextPath(config))
  syncPath(config.dataFolder)
}

/**
 * Creates a folder and its missing parents with mode 0700. Does not use the `recursive` option of mkdirSync, which
 * loops forever on a file system without mkdir (/proc).
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

const newKeyText = () => randomBytes(32).toString('base64')

/** Decodes the contents of a key file. Returns null if they are not a key. */
function decodeKey(text: string): Buffer | null {
  const key = Buffer.from(text.trim(), 'base64')
  return key.length === 32 ? key : null
}

/**
 * Reads a file. If the file is missing, writes its contents to a temporary name, syncs and renames the temporary file.
 * A crash leaves a complete file or none.
 */
function readOrCreate(path: string, create: () => string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const text = create()
  writeSynced(`${path}.new`, text)
  renameSync(`${path}.new`, path)
  return text
}

/** Writes a new file. Deletes an existing file first, because it would keep its mode. */
function writeSynced(path: string, text: string, owner?: Pick<Stats, 'uid' | 'gid'>) {
  rmSync(path, { force: true })
  const file = openSync(path, 'wx', 0o600)
  if (owner !== undefined) fchownSync(file, owner.uid, owner.gid)
  writeSync(file, `${text}\n`)
  fsyncSync(file)
  closeSync(file)
}
