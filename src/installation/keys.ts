/**
 * The data folder and the secrets in it: the installation token and the master key, each in a file of mode 0600, and,
 * while the master key is changed, the next one beside it.
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
  /** While the key is changed, or where a change was interrupted: the one that may be the store's already. */
  nextKey: Buffer | null
  installationToken: string
  /** Where the token can be read: its file, or the setting. */
  tokenPlace: string
}

const keyPath = (config: Config) => join(config.dataFolder, 'master.key')
const nextPath = (config: Config) => join(config.dataFolder, 'master.key.next')

/**
 * Makes what is missing, and closes the folder to others. Throws where the folder cannot be written, or a file is not
 * what it should be.
 */
export function openKeys(config: Config): Keys {
  makeFolder(config.dataFolder)
  closeToOthers(config.dataFolder)
  accessSync(config.dataFolder, constants.R_OK | constants.W_OK)
  if (config.masterKey === null) readOrMake(keyPath(config), newKeyText)
  const tokenPath = join(config.dataFolder, 'access-token')
  const installationToken = config.accessToken ?? readOrMake(tokenPath, () => newToken('installation'))
  const tokenPlace = config.accessToken === null ? tokenPath : 'BERTH_ACCESS_TOKEN'
  return { ...readMasterKeys(config), installationToken, tokenPlace }
}

/** Changes nothing. Throws where there is no key. */
export function readMasterKeys(config: Config): Pick<Keys, 'masterKey' | 'nextKey'> {
  if (config.masterKey !== null) return { masterKey: config.masterKey, nextKey: config.newMasterKey }
  const path = keyPath(config)
  if (!existsSync(path)) throw new Error(`There is no master key: neither ${path} nor the setting BERTH_MASTER_KEY`)
  const masterKey = keyIn(readFileSync(path, 'utf8'))
  if (masterKey === null) throw new Error(`${path} does not hold a master key (32 bytes in base64)`)
  // One that was cut off while it was written is nobody's key yet.
  const nextKey = existsSync(nextPath(config)) ? keyIn(readFileSync(nextPath(config), 'utf8')) : null
  return { masterKey, nextKey }
}

/** Puts a new random key beside the present one, on the disk when this returns. */
export function writeNextKey(config: Config): Buffer {
  const text = newKeyText()
  // Whoever changes it may be another than Berth runs as.
  writeWhole(nextPath(config), text, statSync(keyPath(config)))
  syncPath(config.dataFolder)
  return keyIn(text)!
}

/** The next key takes the place of the present one. Of keys that are settings nothing lies in the folder. */
export function takeNextKey(config: Config): void {
  if (config.masterKey !== null) return
  renameSync(nextPath(config), keyPath(config))
  syncPath(config.dataFolder)
}

/** What is left of a change that did not come about. */
export function dropNextKey(config: Config): void {
  if (config.masterKey !== null || !existsSync(nextPath(config))) return
  rmSync(nextPath(config))
  syncPath(config.dataFolder)
}

/**
 * With the folders above it. One by one, for mkdir's own recursion never ends where a file system knows no mkdir
 * (/proc).
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

const newKeyText = () => randomBytes(32).toString('base64')

function keyIn(text: string): Buffer | null {
  const key = Buffer.from(text.trim(), 'base64')
  return key.length === 32 ? key : null
}

/** The file is whole or absent, whenever the machine stops: written beside, synced, renamed. */
function readOrMake(path: string, make: () => string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const text = make()
  writeWhole(`${path}.new`, text)
  renameSync(`${path}.new`, path)
  return text
}

/** A new file, for one that is there would keep its mode. */
function writeWhole(path: string, text: string, owner?: Pick<Stats, 'uid' | 'gid'>) {
  rmSync(path, { force: true })
  const file = openSync(path, 'wx', 0o600)
  if (owner !== undefined) fchownSync(file, owner.uid, owner.gid)
  writeSync(file, `${text}\n`)
  fsyncSync(file)
  closeSync(file)
}
