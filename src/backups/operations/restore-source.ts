/** Finds the dump that a restore reads: by the id of a run, or by the key of an object with its manifest. */
import type { ActionContext } from '../../api/contract.ts'
import { type Manifest, manifestKeyOf, manifestTextAt, readManifest } from '../../dumps/manifest.ts'
import { refuse, refuseField } from '../../errors.ts'
import { TooLarge } from '../../lib/net/read-whole.ts'
import { openBucket, StorageFault } from '../../lib/s3/s3.ts'
import type { Reader } from '../../store/schema.ts'
import { refuseStorage } from '../destinations/probe.ts'
import { settingsOfDestination } from '../destinations/settings.ts'
import { dumpedKinds, findBackup } from '../fields.ts'
import type { BackupRunTable, BackupTable } from '../table.ts'
import { checkSource } from './runs.ts'

/** The time limit for reading a manifest. */
const manifestMs = 15_000

/** The dump to restore. */
export interface Source {
  manifest: Manifest
  key: string
  destinationId: string
  backupId: string | null
  sourceRunId: string | null
}

interface SourceFields {
  backupId?: string | undefined
  runId?: string | undefined
  destinationId?: string | undefined
  key?: string | undefined
}

/** Finds the dump that the fields name. Refuses fields that do not name exactly one dump, and a manifest of no dump. */
export async function sourceOf(
  context: ActionContext,
  { backupId, runId, destinationId, key }: SourceFields,
): Promise<Source> {
  const { db } = context
  checkPlace({ backupId, runId, destinationId, key })
  const backup = backupId === undefined ? null : await findBackup(db, backupId)
  if (runId !== undefined) return ofRun(await findDump(db, backup, runId), backupId)
  const place = destinationId ?? backup!.destinationId
  const manifest = await manifestAt(context, place, key!)
  return { manifest, key: key!, destinationId: place, backupId: backupId ?? null, sourceRunId: null }
}

/** The run `runId`, which must be of `backup` if that is given. A safety dump is accepted with any backup. */
async function findDump(db: Reader, backup: BackupTable | null, runId: string): Promise<BackupRunTable> {
  const row =
    (await db
      .selectFrom('backupRun')
      .selectAll()
      .where('id', '=', runId)
      .where('subjectKind', '=', 'database')
      .executeTakeFirst()) ?? refuse('NOT_FOUND', 'There is no such run. backup.runs lists those of a backup')
  if (backup === null || row.backupId === backup.id || row.trigger === 'safety') return row
  refuse('NOT_FOUND', 'This backup has no such run. backup.runs lists them')
}

/** Refuses ambiguous or incomplete sources: needed are one backup or one destination, and one run or one key. */
function checkPlace({ backupId, runId, destinationId, key }: SourceFields) {
  if (backupId !== undefined && destinationId !== undefined)
    refuseField('destinationId', 'leave out; it follows from backupId')
  if (runId !== undefined && key !== undefined) refuseField('key', 'must be left out where runId is given')
  if (runId === undefined && key === undefined) refuseField('runId', 'give runId or key')
  if (runId !== undefined && destinationId !== undefined)
    refuseField('destinationId', 'leave out; it follows from runId')
  if (backupId === undefined && destinationId === undefined && runId === undefined) {
    refuseField('backupId', 'is needed, or destinationId with key')
  }
}

function ofRun(run: BackupRunTable, backupId: string | undefined): Source {
  checkSource(run)
  const { key, destinationId } = run
  const manifest = JSON.parse(run.manifest!) as Manifest
  return { manifest, key: key!, destinationId, backupId: backupId ?? run.backupId, sourceRunId: run.id }
}

async function manifestAt({ db, config, vault }: ActionContext, destinationId: string, key: string): Promise<Manifest> {
  const row =
    (await db.selectFrom('destination').selectAll().where('id', '=', destinationId).executeTakeFirst()) ??
    refuse('NOT_FOUND', 'There is no such destination. destination.all lists those there are')
  using bucket = openBucket(settingsOfDestination(vault, row), { egress: config.egress })
  const signal = AbortSignal.timeout(manifestMs)
  const text = await manifestTextAt(bucket, key, signal).catch((error: unknown) => {
    if (error instanceof TooLarge) return refuse('PRECONDITION_FAILED', error.message)
    if (error instanceof StorageFault && error.kind === 'missing') {
      return refuse('NOT_FOUND', `There is no dump with the key ${key}: nothing lies at ${manifestKeyOf(key)}`)
    }
    return refuseStorage(error)
  })
  const manifest =
    readManifest(text) ?? refuse('PRECONDITION_FAILED', `What lies at ${manifestKeyOf(key)} is no manifest of Berth`)
  if (!dumpedKinds.some(({ name }) => name === manifest.kind)) {
    refuse('PRECONDITION_FAILED', `That is a dump of ${manifest.kind}, which this Berth does not know`)
  }
  return manifest
}
