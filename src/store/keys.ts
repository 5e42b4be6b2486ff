/**
 * The data folder and the two secrets in it: the installation token and the master key, each in a file of mode 0600.
 */
import { randomBytes } from 'node:crypto'
import {
  chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { newToken } from './tokens.ts'

export interface Keys {
  masterKey: Buffer
  installationToken: string
  /** Where the token can be read: its file, or the setting. */
  tokenPlace: string
}

/** Makes what is missing. Throws where a file cannot be read or holds something else. */
export function openKeys(config: Config): Keys {
  makeFolder(config.dataFolder)
  const keyPath = join(config.dataFolder, 'master.key')
  const tokenPath = join(config.dataFolder, 'access-token')
  const masterKey = config.masterKey ?? parseKey(keyPath, readOrMake(keyPath, () => randomBytes(32).toString('base64')))
  const installationToken = config.accessToken ?? readOrMake(tokenPath, () => newToken('installation'))
  return { masterKey, installationToken, tokenPlace: config.accessToken === null ? tokenPath : 'BERTH_ACCESS_TOKEN' }
}

/**
 * With the folders above it. One by one, for mkdir's own recursion never ends where a file system knows no mkdir
 * (/proc).
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

function parseKey(path: string, text: string): Buffer {
  const key = Buffer.from(text, 'base64')
  if (key.length !== 32) throw new Error(`${path} does not hold a master key (32 bytes in base64)`)
  return key
}

/** The file is whole or absent, whenever the machine stops: written beside, synced, renamed. */
function readOrMake(path: string, make: () => string): string {
  try {
    chmodSync(path, 0o600)
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const text = make()
  const file = openSync(`${path}.new`, 'w', 0o600)
  writeSync(file, `${text}\n`)
  fsyncSync(file)
  closeSync(file)
  renameSync(`${path}.new`, path)
  return text
}
