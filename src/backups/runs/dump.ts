/**
 * A dump has three steps: create and upload the dump as one stream; read the object back to its end; upload the
 * manifest. After a crash the dump resumes at the stored step. A dump is good only after all three steps.
 */
import { type ArchiveContents, defaultLockSeconds } from '../../kinds/backup.ts'
import type { Kind } from '../../kinds/kind.ts'
import type { BackupRunTable } from '../table.ts'
import type { DataLocation } from '../../dumps/archive.ts'
import { keyOf, type Manifest, rowsIn } from '../../dumps/manifest.ts'
import { decryptionFor } from './decrypt-object.ts'
import { checkObject } from './download.ts'
import { uploadDump } from './upload.ts'
import { uploadManifest, checkReceivedObject, type RunContext, store } from './run.ts'
import { NothingThere, RunFailure } from '../../dumps/failures.ts'
import {
  dataLocationOf,
  locationOfTask,
  findProvenTask,
  type Server,
  serverOf,
  type ServiceServer,
  readServiceWithVolume,
  addressOf,
} from '../../databases/tool-server.ts'
import { withAuthority } from '../../kinds/server-tls.ts'

/**
 * Performs a dump from the step in its row to the end.
 * @param prefix the beginning of the object's key
 * @throws NothingThere if the database does not exist or, for some kinds, is empty; RunFailure if the service, the tool
 *   or the check of the object fails
 */
export async function dump(run: RunContext, prefix: string): Promise<void> {
  const subject = await readServiceWithVolume(run.runtime, run.row.databaseId)
  const server = serverOf(run.runtime, subject, run.row.trigger === 'safety')
  if (run.row.step === 'dump') await uploadAndCheckTask(run, server, prefix, subject.row.id)
  if (run.row.step === 'check') await check(run, server)
  await uploadManifest(run)
}

/**
 * Creates the dump and uploads it. Checks before and after that the same task runs, so that the dump is of the data
 * that Berth verified.
 */
async function uploadAndCheckTask(
  run: RunContext,
  server: ServiceServer,
  prefix: string,
  databaseId: string,
): Promise<void> {
  const task = await findProvenTask(run.runtime, databaseId)
  const patch = await upload(run, server, prefix, locationOfTask(task))
  if ((await findProvenTask(run.runtime, databaseId)).id !== task.id)
    throw new RunFailure({ reason: 'ContainerReplaced' })
  await store(run, patch)
}

/** Creates the dump and uploads it. @returns the columns to store in the run's row */
async function upload(
  run: RunContext,
  server: ServiceServer,
  prefix: string,
  location: DataLocation | null,
): Promise<Partial<BackupRunTable>> {
  const { runtime, row } = run
  const { kind, settings, host, version, tls } = server
  const backup = kind.backup!
  const at = runtime.now()
  const extension = `${backup.extension}.zst${row.recipient === null ? '' : '.age'}`
  const key = keyOf({ prefix, appName: host, database: row.database, runId: row.id, extension, at })
  await store(run, { key, serverVersion: version, startedAt: at.toISOString(), streamed: null })
  // The tool stops waiting for a lock before Berth's idle limit ends the tool. So it can name the lock and disconnect.
  const lockSeconds = Math.max(1, Math.min(defaultLockSeconds, Math.floor(runtime.config.backups.idleMs / 2000)))
  const from = { ...addressOf(server), database: row.database, lockSeconds }
  const program = withAuthority(backup.dump(settings, from, version), tls)
  const tool = { name: `berth-dump-${row.id}`, recordId: row.id, image: server.image, program, mask: server.mask }
  const { contents, ...sizes } = await uploadDump(run, server, location, key, tool)
  refuseEmpty(row, server.kind, contents)
  const manifest = JSON.stringify(manifestOf(run, server, sizes, contents))
  return { step: 'check', uploadId: null, ...sizes, manifest }
}

type Sizes = Pick<Manifest, 'sizeBytes' | 'sha256' | 'rawBytes'>

/** @param contents what was read during the upload; if absent, the step `check` adds the contents */
function manifestOf(
  { runtime, row }: RunContext,
  server: ServiceServer,
  sizes: Sizes,
  contents?: ArchiveContents,
): Manifest {
  const { kind, dockerImage: image, settings, host, version } = server
  const publicSettings = Object.fromEntries(Object.entries(settings).filter(([name]) => !kind.secrets.includes(name)))
  return {
    format: 1,
    kind: kind.name,
    appName: host,
    image,
    serverVersion: version,
    settings: publicSettings,
    database: row.database,
    runId: row.id,
    startedAt: row.startedAt!,
    finishedAt: runtime.now().toISOString(),
    ...sizes,
    encryptedFor: row.recipient,
    contents: contents ?? { tables: {}, objects: {}, roles: null, database: null },
  }
}

/**
 * Throws NothingThere for a dump without tables, if the kind dumps a missing database as an empty one. A safety dump
 * needs no tables if it has other objects, such as accounts, because the restore would delete those objects.
 */
function refuseEmpty({ trigger }: RunContext['row'], kind: Kind, contents?: ArchiveContents): void {
  if (kind.backup!.isMissingDumpedAsEmpty !== true || contents === undefined) return
  const { tables, objects } = contents
  const names = Object.keys(trigger === 'safety' ? { ...tables, ...objects } : tables)
  if (names.length > 0) return
  throw new NothingThere({ reason: 'DumpEmpty' })
}

/** Reads the object back to its end, compares size and checksum, and stores the contents in the manifest. */
async function check(run: RunContext, server: Server): Promise<void> {
  const { runtime, row } = run
  const location = await dataLocationOf(runtime, server)
  const { digest, contents } = await checkObject(run, server, location, await decryptionFor(runtime, row.recipient))
  checkReceivedObject(row, digest)
  refuseEmpty(row, server.kind, contents)
  const manifest = JSON.parse(row.manifest!) as Manifest
  const completed = contents === undefined ? manifest : { ...manifest, contents }
  await store(run, { step: 'list', rowCount: rowsIn(completed.contents), manifest: JSON.stringify(completed) })
}
