/** The object of a dump in its storage, for operations that give it out. */
import type { Config } from '../../config.ts'
import { refuse } from '../../errors.ts'
import type { Storage } from '../../lib/storage/storage.ts'
import type { Reader } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'
import { refuseStorage } from '../destinations/probe.ts'
import { openDestination } from '../destinations/open.ts'
import type { BackupRunTable } from '../table.ts'
import { checkSource } from './runs.ts'

/** A good dump whose object has not expired. */
export type Dump = BackupRunTable & { key: string }

/** Returns the run of a good dump. Refuses other runs. */
export async function findDump(db: Reader, id: string): Promise<Dump> {
  const run =
    (await db
      .selectFrom('backupRun')
      .selectAll()
      .where('id', '=', id)
      .where('subjectKind', '=', 'database')
      .executeTakeFirst()) ?? refuse('NOT_FOUND', 'No run with this id. backup.runs lists the runs of a backup')
  checkSource(run)
  return run as Dump
}

interface Context {
  db: Reader
  vault: Vault
  config: Config
}

export type OpenStorage = (attempts?: number) => Storage

/** Returns a function that opens the storage of the dump. */
export async function storageOf(
  { db, vault, config: { egress } }: Context,
  { destinationId }: Dump,
): Promise<OpenStorage> {
  const row = await db.selectFrom('destination').selectAll().where('id', '=', destinationId).executeTakeFirstOrThrow()
  return (attempts) => openDestination(vault, row, { egress, ...(attempts === undefined ? {} : { attempts }) })
}

/** Refuses unless the storage has an object of the right size. */
export async function checkStored(open: OpenStorage, { key, sizeBytes }: Dump, signal: AbortSignal): Promise<void> {
  using storage = open(1)
  const object = await storage.head(key, signal).catch(refuseStorage)
  if (object === null) refuse('PRECONDITION_FAILED', `The bucket does not have the object ${key} any more`)
  if (object.sizeBytes !== sizeBytes) {
    refuse(
      'PRECONDITION_FAILED',
      `The object ${key} has ${object.sizeBytes} bytes, but the dump had ${sizeBytes}. It was replaced or damaged`,
    )
  }
}
