/** The object of a dump in the bucket, for operations that give it out. */
import type { Config } from '../../config.ts'
import { refuse } from '../../errors.ts'
import { openBucket } from '../../lib/s3/s3.ts'
import type { Reader } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'
import { refuseStorage } from '../destinations/probe.ts'
import { settingsOfDestination } from '../destinations/settings.ts'
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

export type OpenBucket = (attempts?: number) => ReturnType<typeof openBucket>

/** Returns a function that opens the bucket of the dump. */
export async function bucketOf(
  { db, vault, config: { egress } }: Context,
  { destinationId }: Dump,
): Promise<OpenBucket> {
  const row = await db.selectFrom('destination').selectAll().where('id', '=', destinationId).executeTakeFirstOrThrow()
  const settings = settingsOfDestination(vault, row)
  return (attempts) => openBucket(settings, { egress, ...(attempts === undefined ? {} : { attempts }) })
}

/** Refuses unless the storage has an object of the right size. */
export async function checkStored(open: OpenBucket, { key, sizeBytes }: Dump, signal: AbortSignal): Promise<void> {
  using bucket = open(1)
  const object = await bucket.head(key, signal).catch(refuseStorage)
  if (object === null) refuse('PRECONDITION_FAILED', `The bucket does not have the object ${key} any more`)
  if (object.sizeBytes !== sizeBytes) {
    refuse(
      'PRECONDITION_FAILED',
      `The object ${key} has ${object.sizeBytes} bytes, but the dump had ${sizeBytes}. It was replaced or damaged`,
    )
  }
}
