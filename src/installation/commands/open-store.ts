/**
 * Opens the store for a command on the machine, whether Berth runs or not: the same file, through a connection of its
 * own. A command creates no file, runs no migration, and locks the store only while it writes. Berth sees the changes at
 * its next read, or, if a write of its own is in progress, after that write.
 */
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import type { Config } from '../../config.ts'
import { batchWriter } from '../../store/sqlite/batch.ts'
import { openVault, unlock } from '../identity.ts'
import { readMasterKeys } from '../keys.ts'
import { isOfThisVersion } from '../../store/migrations.ts'
import type { Reader, Schema, Transact } from '../../store/schema.ts'
import { sqliteDialect } from '../../store/sqlite/dialect.ts'
import type { Vault } from '../../store/vault.ts'

export interface CommandStore {
  db: Reader
  /** The changes are on the disk when the promise resolves. */
  transact: Transact
  vault: Vault
  close(): Promise<void>
}

const pathOf = ({ dataFolder }: Config) => join(dataFolder, 'berth.db')

/** @throws an error with a message for the operator if there is no store, or this user cannot write to the store */
export function checkStore(config: Config): void {
  try {
    accessSync(pathOf(config), constants.R_OK | constants.W_OK)
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    throw new Error(
      isMissing
        ? `There is no store of Berth in ${config.dataFolder}. Set BERTH_DATA to the folder that has it`
        : `The store in ${config.dataFolder} cannot be written by this user. Be the one that Berth runs as`,
      { cause },
    )
  }
}

/**
 * @throws an error with a message for the operator if the store is missing or of another version, or its key is missing
 */
export async function openStoreForCommand(config: Config): Promise<CommandStore> {
  const path = pathOf(config)
  checkStore(config)
  const db = new Kysely<Schema>({ dialect: sqliteDialect(connect(path), () => undefined) })
  try {
    const vault = await vaultFor(db, config)
    const durability = { committing: () => undefined, sync: async () => undefined, ended: () => undefined }
    const { transact, idle } = batchWriter(db, durability, 'begin immediate')
    return { db, transact, vault, close: () => idle().then(() => db.destroy()) }
  } catch (error) {
    await db.destroy()
    throw error
  }
}

async function vaultFor(db: Kysely<Schema>, config: Config): Promise<Vault> {
  if (!(await isOfThisVersion(db))) {
    throw new Error(
      `The store in ${config.dataFolder} is of another version of Berth than this one. ` +
        'Use the one that serves it, or start this one on it first',
    )
  }
  const proof = await db.selectFrom('meta').select('value').where('key', '=', 'masterKeyProof').executeTakeFirst()
  if (proof === undefined) throw new Error(`The store in ${config.dataFolder} is not finished. Start Berth on it first`)
  return openVault(db, unlock(readMasterKeys(config), proof.value).sealer)
}

/** Leaves checkpoints of the write-ahead log to Berth, or to the closing of the last connection. */
function connect(path: string): DatabaseSync {
  const file = new DatabaseSync(path)
  file.exec(
    'pragma busy_timeout = 10000; pragma foreign_keys = on; pragma synchronous = full; ' +
      'pragma secure_delete = on; pragma wal_autocheckpoint = 0',
  )
  return file
}
