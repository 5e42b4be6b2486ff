/**
 * A dump has three steps: create and upload the dump as one stream; read the object back to its end; upload the
 * manifest. After a crash the dump resumes at the stored step. A dump is good only after all three steps.
 */
import { type ArchiveContents, defaultLockSeconds } from '../../kinds/backup.ts'
import type { Kind } from '../../kinds/kind.ts'
import { encryptFor } from '../../lib/crypto/encryption.ts'
import type { BackupRunTable } from '../table.ts'
import { contentsOf, toolOutput, readWhilePassing } from '../../dumps/archive.ts'
import { keyOf, type Manifest, rowsIn } from '../../dumps/manifest.ts'
import { decryptFor } from './decrypt-object.ts'
import { uploadManifest, progressOf, checkReceivedObject, type RunContext, store } from './run.ts'
import { NothingThere, RunFailure } from '../../dumps/failures.ts'
import {
  provenTask,
  type Server,
  serverOf,
  type ServiceServer,
  type ServiceWithVolume,
  readServiceWithVolume,
} from '../../databases/tool-server.ts'
import { findStrayDataOf } from '../../databases/data-places.ts'
import { compressed, decompressed, digester, drain, tapped } from '../../dumps/streams.ts'

/**
 * Performs a dump from the step in its row to the end.
 * @param prefix the beginning of the object's key
 * @throws NothingThere if the database does not exist or, for some kinds, is empty; RunFailure if the service, the tool
 *   or the check of the object fails
 */
export async function dump(run: RunContext, prefix: string): Promise<void> {
  const subject = await readServiceWithVolume(run.runtime, run.row.databaseId)
  const server = serverOf(run.runtime, subject, run.row.trigger === 'safety')
  if (run.row.step === 'dump') await uploadAndCheckTask(run, server, prefix, subject)
  if (run.row.step === 'check') await check(run, server)
  await uploadManifest(run)
}

/**
 * Creates the dump and uploads it. Checks before and after that the same task runs, so that the dump is of the data
 * that Berth verified. A server whose next restart would delete data is not dumped: the failed run tells this in time.
 */
async function uploadAndCheckTask(
  run: RunContext,
  server: ServiceServer,
  prefix: string,
  { row: { id }, volume }: ServiceWithVolume,
): Promise<void> {
  const task = await provenTask(run.runtime, id)
  const stray = await findStrayDataOf(run.runtime, server.kind, volume, task)
  if (stray !== null) throw new RunFailure(stray)
  const patch = await upload(run, server, prefix)
  if ((await provenTask(run.runtime, id)).id !== task.id) throw new RunFailure({ reason: 'ContainerReplaced' })
  await store(run, patch)
}

/** Streams the dump from the tool to the storage. @returns the columns to store in the run's row */
async function upload(run: RunContext, server: ServiceServer, prefix: string): Promise<Partial<BackupRunTable>> {
  const { runtime, row, bucket, signal } = run
  const { kind, settings, host, version } = server
  const backup = kind.backup!
  const at = runtime.now()
  const extension = `${backup.extension}.zst${row.recipient === null ? '' : '.age'}`
  const key = keyOf({ prefix, appName: host, database: row.database, runId: row.id, extension, at })
  await store(run, { key, serverVersion: version, startedAt: at.toISOString() })
  // The tool stops waiting for a lock before Berth's idle limit ends the tool. So it can name the lock and disconnect.
  const lockSeconds = Math.max(1, Math.min(defaultLockSeconds, Math.floor(runtime.config.backups.idleMs / 2000)))
  const program = backup.dump(settings, { host, port: kind.port, database: row.database, lockSeconds }, version)
  const tool = { name: `berth-dump-${row.id}`, recordId: row.id, image: server.image, program, mask: server.mask }
  const [digest, progress] = [digester(), progressOf(run)]
  let rawBytes = 0
  const raw = tapped(toolOutput(runtime, tool, signal), (piece) => {
    rawBytes += piece.length
    return progress(piece.length)
  })
  // Berth cannot decrypt a dump for another recipient later, so the contents are read during the upload.
  const canOpen = (await decryptFor(runtime, row.recipient)) !== null
  const reading = canOpen ? null : readWhilePassing(runtime, server, row.id, signal)
  const packed = compressed(reading === null ? raw : reading.through(raw))
  const encrypted = row.recipient === null ? packed : encryptFor(row.recipient, packed)
  await bucket.upload(key, tapped(encrypted, digest.tap), { signal, onBegun: (uploadId) => store(run, { uploadId }) })
  const contents = await reading?.contents
  refuseEmpty(row, server.kind, contents)
  const manifest = manifestOf(run, server, { ...digest.result(), rawBytes }, contents)
  return {
    step: 'check',
    uploadId: null,
    ...digest.result(),
    rawBytes: manifest.rawBytes,
    manifest: JSON.stringify(manifest),
  }
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
  const { runtime, row, bucket, signal } = run
  const digest = digester()
  const decrypt = await decryptFor(runtime, row.recipient)
  const object = tapped(bucket.get(row.key!, signal), digest.tap)
  let contents: ArchiveContents | undefined
  if (decrypt === null) await drain(object)
  else contents = await contentsOf(runtime, server, row.id, decompressed(decrypt(object)), signal)
  checkReceivedObject(row, digest.result())
  refuseEmpty(row, server.kind, contents)
  const manifest = JSON.parse(row.manifest!) as Manifest
  const completed = contents === undefined ? manifest : { ...manifest, contents }
  await store(run, { step: 'list', rowCount: rowsIn(completed.contents), manifest: JSON.stringify(completed) })
}
