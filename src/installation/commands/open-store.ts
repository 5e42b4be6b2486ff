/**
 * The store for a command on the machine, while Berth runs or not: the same file, by a connection of its own. It makes
 * no file, migrates nothing and holds no lock but while it writes. Berth sees what it wrote at its next read, or, while
 * a write of its own is on the way to the disk, after that.
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
  /** On the disk when it answers. */
  transact: Transact
  vault: Vault
  close(): Promise<void>
}

const pathOf = ({ dataFolder }: Config) => join(dataFolder, 'berth.db')

/** Throws, in a sentence for the operator, where there is no store that this user may write: a command makes none. */
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

/** Throws, in a sentence for the operator, where there is no store of this version or its key is not there. */
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

/** Moving the log to its place in the file is left to Berth, or to the closing of the last connection. */
function connect(path: string): DatabaseSync {
  const file = new DatabaseSync(path)
  file.exec(
    'pragma busy_timeout = 10000; pragma foreign_keys = on; pragma synchronous = full; ' +
      'pragma secure_delete = on; pragma wal_autocheckpoint = 0',
  )
  return file
}
