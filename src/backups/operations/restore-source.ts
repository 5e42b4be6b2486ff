/** Finds the dump that a restore reads: by the id of a run, or by the key of an object with its manifest. */
import type { ActionContext } from '../../api/contract.ts'
import { type Manifest, manifestKeyOf, manifestTextAt, readManifest, storedManifest } from '../../dumps/manifest.ts'
import type { PrivateProfile } from '../../dumps/server-profile.ts'
import { refuse, refuseField } from '../../errors.ts'
import { TooLarge } from '../../lib/net/read-whole.ts'
import { StorageFault } from '../../lib/storage/faults.ts'
import type { Reader } from '../../store/schema.ts'
import { refuseStorage } from '../destinations/probe.ts'
import { openDestination } from '../destinations/open.ts'
import { dumpedKinds } from '../fields.ts'
import { findBackup } from './find.ts'
import { openPrivateProfile } from '../private-profile.ts'
import type { BackupRunTable, BackupTable } from '../table.ts'
import { checkSource } from './runs.ts'

/** The time limit for reading a manifest. */
const manifestTimeoutMs = 15_000

/** The dump to restore. */
export interface Source {
  manifest: Manifest
  key: string
  destinationId: string
  backupId: string | null
  sourceRunId: string | null
  /** The private part of the profile; null: Berth has no run of the dump. */
  privateProfile: PrivateProfile | null
  /** What began the dump; null: Berth has no run of it. */
  trigger: BackupRunTable['trigger'] | null
}

interface SourceFields {
  backupId?: string | undefined
  runId?: string | undefined
  destinationId?: string | undefined
  key?: string | undefined
}

/** Finds the dump that the fields name. Refuses fields that do not name exactly one dump, and invalid manifests. */
export async function sourceOf(
  context: ActionContext,
  { backupId, runId, destinationId, key }: SourceFields,
): Promise<Source> {
  const { db } = context
  checkSourceFields({ backupId, runId, destinationId, key })
  const backup = backupId === undefined ? null : await findBackup(db, backupId)
  if (runId !== undefined) return sourceOfRun(context, await findDump(db, backup, runId), backupId)
  const source = destinationId ?? backup!.destinationId
  const manifest = await manifestAt(context, source, key!)
  const found = { manifest, key: key!, destinationId: source, backupId: backupId ?? null }
  return { ...found, privateProfile: null, sourceRunId: null, trigger: null }
}

/**
 * Finds the run of a dump.
 * @param backup the backup that the run must belong to, unless the run is a safety dump; null: any backup
 */
async function findDump(db: Reader, backup: BackupTable | null, runId: string): Promise<BackupRunTable> {
  const row =
    (await db
      .selectFrom('backupRun')
      .selectAll()
      .where('id', '=', runId)
      .where('subjectKind', '=', 'database')
      .executeTakeFirst()) ?? refuse('NOT_FOUND', 'No run with this id. backup.runs lists the runs of a backup')
  if (backup === null || row.backupId === backup.id || row.trigger === 'safety') return row
  refuse('NOT_FOUND', 'No run of this backup with this id. backup.runs lists its runs')
}

/** Refuses ambiguous or incomplete fields. A runId is sufficient; a key needs a backup or a destination. */
function checkSourceFields({ backupId, runId, destinationId, key }: SourceFields) {
  if (backupId !== undefined && destinationId !== undefined)
    refuseField('destinationId', 'must be left out, because backupId is given')
  if (runId !== undefined && key !== undefined) refuseField('key', 'must be left out, because runId is given')
  if (runId === undefined && key === undefined) refuseField('runId', 'give runId or key')
  if (runId !== undefined && destinationId !== undefined)
    refuseField('destinationId', 'must be left out, because runId is given')
  if (backupId === undefined && destinationId === undefined && runId === undefined) {
    refuseField('backupId', 'give backupId or destinationId with key')
  }
}

function sourceOfRun({ vault }: ActionContext, run: BackupRunTable, backupId: string | undefined): Source {
  checkSource(run)
  const { key, destinationId } = run
  const manifest = storedManifest(run.manifest!)
  const { id: sourceRunId, trigger } = run
  const privateProfile = openPrivateProfile(vault, run)
  return {
    manifest,
    key: key!,
    destinationId,
    backupId: backupId ?? run.backupId,
    privateProfile,
    sourceRunId,
    trigger,
  }
}

async function manifestAt({ db, config, vault }: ActionContext, destinationId: string, key: string): Promise<Manifest> {
  const row =
    (await db.selectFrom('destination').selectAll().where('id', '=', destinationId).executeTakeFirst()) ??
    refuse('NOT_FOUND', 'No destination with this id. destination.all lists all destinations')
  using storage = openDestination(vault, row, { egress: config.egress })
  const signal = AbortSignal.timeout(manifestTimeoutMs)
  const text = await manifestTextAt(storage, key, signal).catch((error: unknown) => {
    if (error instanceof TooLarge) return refuse('PRECONDITION_FAILED', error.message)
    if (error instanceof StorageFault && error.kind === 'missing') {
      return refuse(
        'NOT_FOUND',
        `No dump with the key ${key}: its manifest ${manifestKeyOf(key)} does not exist in the bucket`,
      )
    }
    if (!signal.aborted) return refuseStorage(error)
    const seconds = manifestTimeoutMs / 1000
    return refuseStorage(
      new StorageFault(
        'timeout',
        `The storage did not answer within ${seconds} seconds when Berth read the manifest of the dump`,
      ),
    )
  })
  const manifest =
    readManifest(text) ?? refuse('PRECONDITION_FAILED', `The object ${manifestKeyOf(key)} is not a manifest of Berth`)
  if (!dumpedKinds.some(({ name }) => name === manifest.kind)) {
    refuse(
      'PRECONDITION_FAILED',
      `The dump is of the kind ${manifest.kind}, which this version of Berth does not support`,
    )
  }
  return manifest
}
