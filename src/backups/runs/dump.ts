/**
 * A dump has three steps: create and upload the dump as one stream; read the object back to its end; upload the
 * manifest. After a crash the dump resumes at the stored step. A dump is good only after all three steps.
 */
import { z } from 'zod'
import { type ArchiveContents, defaultLockSeconds } from '../../kinds/backup.ts'
import type { DumpFinding } from '../../kinds/dump-finding.ts'
import type { Kind } from '../../kinds/kind.ts'
import { encryptFor } from '../../lib/crypto/encryption.ts'
import { readJson } from '../../lib/json.ts'
import type { BackupRunTable } from '../table.ts'
import { contentsOf, toolOutput, readWhilePassing } from '../../dumps/archive.ts'
import { findingSummary } from '../../dumps/finding-summary.ts'
import { keyOf, type Manifest, rowsIn, storedManifest } from '../../dumps/manifest.ts'
import { decryptFor } from './decrypt-object.ts'
import { withExpectedSize } from './upload-size.ts'
import { uploadManifest, progressOf, checkReceivedObject, type RunContext, store } from './run.ts'
import { detailOf, NothingThere, RunFailure } from '../../dumps/failures.ts'
import {
  provenTask,
  type Server,
  serverOf,
  type ServiceServer,
  type ServiceWithVolume,
  readServiceForTools,
} from '../../databases/tool-server.ts'
import { findStrayDataOf } from '../../databases/data-places.ts'
import type { PrivateProfile, ServerProfile } from '../../dumps/server-profile.ts'
import { compressed, decompressed, digester, drain, single, tapped } from '../../dumps/streams.ts'
import { profileOf } from '../../databases/server-profile.ts'
import type { FoundTask } from '../../engine/engine.ts'
import { sealPrivateProfile } from '../private-profile.ts'

/** The time limit for reading the settings of a database. */
const settingsTimeoutMs = 10_000

/**
 * Performs a dump from the step in its row to the end.
 * @param prefix the beginning of the object's key
 * @throws NothingThere if the database does not exist or, for some kinds, is empty; RunFailure if the service, the tool
 *   or the check of the object fails
 */
export async function dump(run: RunContext, prefix: string): Promise<void> {
  const subject = await readServiceForTools(run.runtime, run.row.databaseId)
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
  const patch = await withExpectedSize(run, (expectedBytes) => upload(run, server, prefix, task, expectedBytes))
  if ((await provenTask(run.runtime, id)).id !== task.id) throw new RunFailure({ reason: 'ContainerReplaced' })
  await store(run, patch)
}

/** Streams the dump from the tool to the storage. @returns the columns to store in the run's row */
async function upload(
  run: RunContext,
  server: ServiceServer,
  prefix: string,
  task: FoundTask,
  expectedBytes: number,
): Promise<Partial<BackupRunTable>> {
  const { runtime, row, storage, signal } = run
  const { kind, settings, own, host, version } = server
  const backup = kind.backup!
  const at = runtime.now()
  const extension = `${backup.extension}.zst${row.recipient === null ? '' : '.age'}`
  const key = keyOf({ prefix, appName: host, database: row.database, runId: row.id, extension, at })
  await store(run, { key, serverVersion: version, startedAt: at.toISOString() })
  // The tool stops waiting for a lock before Berth's idle limit ends the tool. So it can name the lock and disconnect.
  const lockSeconds = Math.max(1, Math.min(defaultLockSeconds, Math.floor(runtime.config.backups.idleMs / 2000)))
  const place = { host, port: kind.port, database: row.database, lockSeconds }
  const program = backup.dump({ settings, own }, place, version)
  const tool = { name: `berth-dump-${row.id}`, recordId: row.id, image: server.image, program, mask: server.mask }
  const [digest, progress] = [digester(), progressOf(run)]
  let rawBytes = 0
  let findings: DumpFinding[] = []
  const output = toolOutput(runtime, tool, signal, (printed) => {
    findings = printed
  })
  const raw = tapped(output, (piece) => {
    rawBytes += piece.length
    return progress(piece.length)
  })
  // Berth cannot decrypt a dump for another recipient later, so the contents are read during the upload.
  const canOpen = (await decryptFor(runtime, row.recipient)) !== null
  const reading = canOpen ? null : readWhilePassing(runtime, server, row.id, signal)
  const packed = compressed(reading === null ? raw : reading.through(raw))
  const encrypted = row.recipient === null ? packed : encryptFor(row.recipient, packed)
  const onBegun = (uploadId: string) => store(run, { uploadId })
  await storage.upload(key, tapped(encrypted, digest.tap), { signal, expectedBytes, onBegun })
  const read = await reading?.contents
  refuseEmpty(row, server.kind, read)
  const contents = withFindings(read ?? unread, findings)
  const env = server.target.env
  const privateProfile = { env, databaseSettings: await databaseSettings(run, server, task) }
  const profile = profileOf(server.target, privateProfile, await encryptedProfile(privateProfile, row.recipient))
  const manifest = manifestOf(run, server, profile, { ...digest.result(), rawBytes }, contents)
  return {
    step: 'check',
    uploadId: null,
    ...digest.result(),
    rawBytes: manifest.rawBytes,
    manifest: JSON.stringify(manifest),
    privateProfile: sealPrivateProfile(runtime.vault, row.id, privateProfile),
  }
}

/** The settings of the dumped database as NAME=value. Throws RunFailure if the server does not answer. */
async function databaseSettings(
  { runtime: { engine }, row: { database } }: RunContext,
  { kind: { backup, port }, settings, own, mask }: ServiceServer,
  task: FoundTask,
): Promise<string[]> {
  if (backup?.databaseSettings === undefined) return []
  if (task.address === null) throw new RunFailure({ reason: 'ServiceDown' })
  const program = backup.databaseSettings({ settings, own }, { host: task.address, port, database })
  const { exitCode, stdout, stderr } = await engine.run(task, program, settingsTimeoutMs)
  const printed = exitCode === 0 ? readJson(z.array(z.string()), stdout) : null
  if (printed !== null) return printed
  const detail = detailOf(mask(stderr === '' ? stdout : stderr))
  throw new RunFailure({ reason: 'ToolFailed', tool: program.argv[0]!, exitCode, outOfMemory: false, detail })
}

/** The private part in the form of `ServerProfile.encrypted`. */
async function encryptedProfile(profile: PrivateProfile, recipient: string | null): Promise<string | null> {
  if (recipient === null) return null
  const bytes = await Array.fromAsync(encryptFor(recipient, single(JSON.stringify(profile))))
  return Buffer.concat(bytes).toString('base64')
}

type Sizes = Pick<Manifest, 'sizeBytes' | 'sha256' | 'rawBytes'>

/** Before the dump was read. */
const unread: ArchiveContents = { tables: {}, objects: {}, roles: null, database: null }

/** Adds the findings that the dump program printed to those in the archive. */
const withFindings = (contents: ArchiveContents, findings: readonly DumpFinding[] = []): ArchiveContents =>
  findings.length === 0 ? contents : { ...contents, findings: [...(contents.findings ?? []), ...findings] }

/** @param contents what was read during the upload; the step `check` replaces what was not read */
function manifestOf(
  { runtime, row }: RunContext,
  server: ServiceServer,
  profile: ServerProfile,
  sizes: Sizes,
  contents: ArchiveContents,
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
    server: profile,
    database: row.database,
    runId: row.id,
    startedAt: row.startedAt!,
    finishedAt: runtime.now().toISOString(),
    ...sizes,
    encryptedFor: row.recipient,
    contents,
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
  const { runtime, row, storage, signal } = run
  const digest = digester()
  const decrypt = await decryptFor(runtime, row.recipient)
  const object = tapped(storage.get(row.key!, signal), digest.tap)
  let contents: ArchiveContents | undefined
  if (decrypt === null) await drain(object)
  else contents = await contentsOf(runtime, server, row.id, decompressed(decrypt(object)), signal)
  checkReceivedObject(row, digest.result())
  refuseEmpty(row, server.kind, contents)
  const manifest = storedManifest(row.manifest!)
  const completed =
    contents === undefined ? manifest : { ...manifest, contents: withFindings(contents, manifest.contents.findings) }
  await store(run, {
    step: 'list',
    rowCount: rowsIn(completed.contents),
    findings: findingSummary(completed.contents),
    manifest: JSON.stringify(completed),
  })
}
