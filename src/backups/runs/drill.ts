/**
 * A drill restores a dump into a scratch server of the same image, dumps that server, and compares the contents of both
 * dumps. The scratch server is a job: its data is deleted with its container.
 */
import { withoutLasting } from '../../kinds/kind.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { type ArchiveContents, differences } from '../../kinds/backup.ts'
import { unknownStart } from '../../kinds/image-start.ts'
import { kindNamed } from '../../kinds/index.ts'
import { toJson } from '../../lib/json.ts'
import { parseEnvFile } from '../../lib/text/env-file.ts'
import { splitShellWords } from '../../lib/text/shell-words.ts'
import { base32Secret } from '../../lib/crypto/base32-secret.ts'
import { openPrivateProfile } from '../private-profile.ts'
import type { BackupRunTable } from '../table.ts'
import type { RunReason } from '../../dumps/run-reason.ts'
import { launchOf } from '../../databases/reconcile/specs.ts'
import type { Settings } from '../../databases/targets.ts'
import type { ImageFound } from '../../engine/engine.ts'
import type { Runtime } from '../../runtime.ts'
import { feedTool, contentsOf, toolOutput } from '../../dumps/archive.ts'
import { indispensableNeedsOf } from '../../dumps/finding-summary.ts'
import { type Manifest, manifestTextAt, readManifest, storedManifest } from '../../dumps/manifest.ts'
import type { PrivateProfile } from '../../dumps/server-profile.ts'
import { type Decrypt, decryptForDrill } from './decrypt-object.ts'
import { waitForLogin } from '../../databases/wait-for-login.ts'
import { progressOf, type RunContext, store } from './run.ts'
import { detailOf, RunFailure } from '../../dumps/failures.ts'
import type { Server } from '../../databases/tool-server.ts'
import { type Bytes, decompressed, digester, tapped } from '../../dumps/streams.ts'

/** After a tool failed, how long to wait for the exit of the scratch server. */
const serverExitMs = 3000

/**
 * Verifies the dump of the run's `sourceRunId`. Records a success in both runs.
 * Does nothing if a scratch server cannot have what the dump or the server needs.
 * @throws RunFailure if the dump does not exist any more, cannot be restored or differs
 */
export async function drill(run: RunContext): Promise<void> {
  const { runtime, row } = run
  const source = await runtime.db
    .selectFrom('backupRun')
    .selectAll()
    .where('id', '=', row.sourceRunId ?? '')
    .executeTakeFirst()
  if (source?.key == null || source.manifest === null) throw new RunFailure({ reason: 'DumpGone' })
  const manifest = storedManifest(source.manifest)
  await checkManifest(run, source.key, source.manifest)
  const needs = indispensableNeedsOf(manifest.contents)
  if (needs.length > 0) return store(run, { reason: toJson<RunReason>({ reason: 'NotVerifiable', needs }) })
  const lack = memoryLack(manifest, await runtime.engine.availableMemoryBytes())
  if (lack !== null) return store(run, { reason: toJson<RunReason>(lack) })
  const abort = new AbortController()
  const signal = AbortSignal.any([run.signal, abort.signal])
  try {
    const profile = openPrivateProfile(runtime.vault, source)
    const { server, ended } = await scratchServer({ ...run, signal }, manifest, profile)
    const restored = await restoreAndDump({ ...run, signal }, server, source, manifest, profile).catch(
      (error: unknown) => withServerExit(error, ended, signal),
    )
    const unequal = differences(manifest.contents, restored)
    if (unequal.length > 0) throw new RunFailure({ reason: 'ContentDiffers', differences: unequal })
  } finally {
    abort.abort()
  }
  const tables = Object.values(manifest.contents.tables)
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  await store(run, { reason: toJson<RunReason>({ reason: 'RestoredEqual', tables: tables.length, rows }) })
  await store({ ...run, row: source }, { verifiedAt: runtime.now().toISOString() })
}

/** What a scratch server needs at least if the dumped server had no memory limit. */
const defaultMemoryMib = 256

/** Why a scratch server would take memory that other programs of the node use; null if there is enough. */
function memoryLack({ server }: Manifest, availableBytes: number): RunReason | null {
  const neededMib = server?.memoryLimit ?? defaultMemoryMib
  const availableMib = Math.floor(availableBytes / 1024 ** 2)
  return neededMib <= availableMib ? null : { reason: 'MemoryMissing', neededMib, availableMib }
}

/**
 * Compares the manifest in the bucket with the stored one, because a restore by key relies on the one in the bucket.
 * Throws RunFailure if they differ.
 */
async function checkManifest({ storage, signal }: RunContext, key: string, expected: string): Promise<void> {
  const text = await manifestTextAt(storage, key, signal)
  if (text === expected) return
  const received = readManifest(text)
  const unequal = received === null ? [] : differences(storedManifest(expected).contents, received.contents)
  throw new RunFailure({ reason: 'ManifestDiffers', differences: unequal })
}

/**
 * Throws `error` again, unless a tool failed because the scratch server exited. Then throws the exit of the server with
 * the tool's failure as its cause, because the tool reports only that it lost its connection.
 */
async function withServerExit(error: unknown, ended: Promise<never>, signal: AbortSignal): Promise<never> {
  if (!(error instanceof RunFailure)) throw error
  const exit = await Promise.race([ended, pause(serverExitMs, null, { signal })]).catch((end: unknown) => end)
  if (!(exit instanceof RunFailure) || exit.reason.reason !== 'ScratchServerEnded') throw error
  throw new RunFailure({ ...exit.reason, cause: error.reason }, { cause: error })
}

/** Restores the dump into the scratch server and dumps that server. @returns the contents of the second dump */
async function restoreAndDump(
  run: RunContext,
  server: Server,
  source: BackupRunTable,
  manifest: Manifest,
  { databaseSettings }: PrivateProfile,
): Promise<ArchiveContents> {
  const { runtime, row, signal } = run
  const { kind, settings, own, host, image, version, mask } = server
  const backup = kind.backup!
  const address = { host, port: kind.port, database: manifest.database }
  const tool = { recordId: row.id, image, mask, isIsolated: true }
  const roles = manifest.contents.roles ?? []
  const object = dumpStream(run, source, manifest, await decryptForDrill(runtime, source.recipient))
  await feedTool(
    runtime,
    {
      ...tool,
      name: `berth-load-${row.id}`,
      program: backup.restore({ settings, own }, { ...address, roles, databaseSettings, isTemporary: true }, version),
    },
    object,
    signal,
  )
  const dumper = { ...tool, name: `berth-dump-${row.id}`, program: backup.dump({ settings, own }, address, version) }
  return contentsOf(runtime, server, row.id, toolOutput(runtime, dumper, signal), signal)
}

/**
 * Downloads, decrypts and decompresses a dump.
 * @param decrypt decrypts the object
 * @throws RunFailure at the end if the checksum of the object differs from the one in the manifest
 */
export async function* dumpStream(
  run: RunContext,
  source: Pick<BackupRunTable, 'key'>,
  { sha256 }: Pick<Manifest, 'sha256'>,
  decrypt: Decrypt,
): Bytes {
  const [digest, progress] = [digester(), progressOf(run)]
  const object = tapped(run.storage.get(source.key!, run.signal), (piece) => {
    digest.tap(piece)
    return progress(piece.length)
  })
  yield* decompressed(decrypt(object))
  if (digest.result().sha256 !== sha256) throw new RunFailure({ reason: 'ObjectChanged' })
}

/** The metadata of the image, which is pulled if the node does not have it. */
async function imageFound({ engine }: Runtime, image: string, signal: AbortSignal): Promise<ImageFound | null> {
  const found = await engine.image(image)
  if (found !== null) return found
  await engine.pullImage(image, signal)
  return engine.image(image)
}

/**
 * Starts a server like the dumped one, with new secrets, and waits until it accepts logins. `ended` rejects when the
 * server exits.
 */
async function scratchServer(
  { runtime, row, signal }: RunContext,
  manifest: Manifest,
  { env }: PrivateProfile,
): Promise<{ server: Server; ended: Promise<never> }> {
  const kind = kindNamed(manifest.kind)
  const host = `berth-scratch-${row.id}`
  const settings: Settings = withoutLasting(kind, manifest.settings)
  for (const name of kind.secrets) settings[name] = base32Secret(6)
  if ('databaseName' in settings) settings.databaseName = manifest.database
  const { temporaryServerArgs, scratchServerArgs } = kind.backup!
  const added = [...temporaryServerArgs, ...(scratchServerArgs?.(manifest.contents) ?? [])]
  const { serverVersion: version, server: profile } = manifest
  const image = profile?.imageDigest ?? manifest.image
  const memoryLimit = profile?.memoryLimit ?? null
  const own = splitShellWords(profile?.command ?? '')
  const start = (await imageFound(runtime, image, signal))?.start ?? unknownStart
  const { before, args, files } = launchOf(kind, start, { settings, memoryLimit, own, added })
  // The secrets are new and serve only this scratch server, so they need no mask.
  const mask = (text: string) => text
  const job = await runtime.engine.runJob(
    {
      name: host,
      recordId: row.id,
      image,
      argv: args,
      env: { ...parseEnvFile(env ?? '').values, ...kind.env(settings) },
      ...(memoryLimit === null ? {} : { memoryMib: Math.round(memoryLimit) }),
      stdin: false,
      isIsolated: true,
      keepsImageDefaults: true,
      ...(before === undefined ? {} : { entrypoint: [...before, ...start.entrypoint] }),
      files: files.map((file) => ({ ...file, mode: 0o644 })),
    },
    signal,
  )
  job.stdout.resume()
  const ended: Promise<never> = job.ended.then(({ exitCode, lastLines }) => {
    throw new RunFailure({ reason: 'ScratchServerEnded', exitCode, detail: detailOf(lastLines), cause: null })
  })
  ended.catch(() => undefined)
  const server: Server = { kind, image, settings, own: null, host, version, mask, isIsolated: true }
  await Promise.race([ended, waitForLogin(runtime, server, row.id, signal)])
  return { server, ended }
}
