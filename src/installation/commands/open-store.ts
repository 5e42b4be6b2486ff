/**
 * Opens the store for a command on the machine, whether Berth runs or not. The command uses its own connection to the
 * same file. A command creates no store, runs no migration, and locks the store only while it writes. Berth sees the
 * changes at its next read. If Berth is writing at that time, it sees the changes after its write.
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
import { isReplacementDecided } from '../../store/sqlite/replacement.ts'
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
  if (isReplacementDecided(config.dataFolder)) {
    throw new Error('A restore of the state was interrupted. Start Berth, which finishes the restore, then repeat')
  }
  try {
    accessSync(pathOf(config), constants.R_OK | constants.W_OK)
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    throw new Error(
      isMissing
        ? `There is no store of Berth in ${config.dataFolder}. Set BERTH_DATA to the data folder of Berth`
        : `This user cannot write to the store in ${config.dataFolder}. Run the command as the user that runs Berth`,
      { cause },
    )
  }
}

/**
 * @throws an error with a message for the operator if the store is missing or of another version, or no key opens it
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
      `Another version of Berth wrote the store in ${config.dataFolder}. Use the command of that version, or start ` +
        'this version of Berth once, which upgrades an older store',
    )
  }
  const proof = await db.selectFrom('meta').select('value').where('key', '=', 'masterKeyProof').executeTakeFirst()
  if (proof === undefined)
    throw new Error(`The store in ${config.dataFolder} is incomplete. Start Berth once, then repeat`)
  return openVault(db, unlock(readMasterKeys(config), proof.value).sealer)
}

/** Opens the file without automatic checkpoints. Berth, or closing the last connection, merges the write-ahead log. */
function connect(path: string): DatabaseSync {
  const file = new DatabaseSync(path)
  file.exec(
    'pragma busy_timeout = 10000; pragma foreign_keys = on; pragma synchronous = full; ' +
      'pragma secure_delete = on; pragma wal_autocheckpoint = 0',
  )
  return file
}
