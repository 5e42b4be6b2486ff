/**
 * A drill: a dump is restored into a scratch server of the same image, that is dumped again, and both have to hold the
 * same. The scratch server is a job beside the services; its data goes with it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type ArchiveContents, differences } from '../../kinds/backup.ts'
import { kindNamed } from '../../kinds/index.ts'
import { toJson } from '../../lib/json.ts'
import { base32Secret } from '../../lib/crypto/base32-secret.ts'
import type { BackupRunTable } from '../table.ts'
import type { RunReason } from '../../dumps/run-reason.ts'
import type { Settings } from '../../databases/targets.ts'
import { consumed, contentsOf, outputOf } from '../../dumps/archive.ts'
import { type Manifest, manifestTextAt, readManifest } from '../../dumps/manifest.ts'
import { type Open, ownOpener } from './open-object.ts'
import { untilReady } from '../../databases/wait-for-login.ts'
import { progressOf, type Running, store } from './run.ts'
import { detailOf, RunFailure } from '../../dumps/failures.ts'
import type { Server } from '../../databases/tool-server.ts'
import { type Bytes, decompressed, summed, tapped } from '../../dumps/streams.ts'

/** In which a scratch server that is failing comes to its end. */
const lastWordsMs = 3000

export async function drill(it: Running): Promise<void> {
  const { runtime, row } = it
  const source = await runtime.db
    .selectFrom('backupRun')
    .selectAll()
    .where('id', '=', row.sourceRunId ?? '')
    .executeTakeFirst()
  if (source?.key == null || source.manifest === null) throw new RunFailure({ reason: 'DumpGone' })
  const manifest = JSON.parse(source.manifest) as Manifest
  await checkManifest(it, source.key, manifest)
  const abort = new AbortController()
  const signal = AbortSignal.any([it.signal, abort.signal])
  try {
    const { server, ended } = await scratchServer({ ...it, signal }, manifest)
    const found = await restoredAndDumped({ ...it, signal }, server, source, manifest).catch((error: unknown) =>
      withLastWords(error, ended, signal),
    )
    const unequal = differences(manifest.contents, found)
    if (unequal.length > 0) throw new RunFailure({ reason: 'ContentDiffers', differences: unequal })
  } finally {
    abort.abort()
  }
  const tables = Object.values(manifest.contents.tables)
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  await store(it, { reason: toJson<RunReason>({ reason: 'RestoredEqual', tables: tables.length, rows }) })
  await store({ ...it, row: source }, { verifiedAt: runtime.now().toISOString() })
}

/** Whoever restores without Berth's records goes by what lies beside the dump. */
async function checkManifest({ bucket, signal }: Running, key: string, written: Manifest): Promise<void> {
  const text = await manifestTextAt(bucket, key, signal)
  if (text === JSON.stringify(written)) return
  const there = readManifest(text)
  const unequal = there === null ? [] : differences(written.contents, there.contents)
  throw new RunFailure({ reason: 'ManifestDiffers', differences: unequal })
}

/** A tool that loses its server does not know why. */
async function withLastWords(error: unknown, ended: Promise<never>, signal: AbortSignal): Promise<never> {
  if (!(error instanceof RunFailure)) throw error
  const why = await Promise.race([ended, pause(lastWordsMs, null, { signal })]).catch((end: unknown) => end)
  if (!(why instanceof RunFailure) || why.reason.reason !== 'ScratchServerEnded') throw error
  throw new RunFailure({ ...why.reason, cause: error.reason }, { cause: error })
}

async function restoredAndDumped(
  it: Running,
  server: Server,
  source: BackupRunTable,
  manifest: Manifest,
): Promise<ArchiveContents> {
  const { runtime, row, signal } = it
  const { kind, settings, host, image, version, mask } = server
  const backup = kind.backup!
  const place = { host, port: kind.port, database: manifest.database }
  const tool = { recordId: row.id, image, mask }
  const roles = manifest.contents.roles ?? []
  const object = objectOf(it, source, manifest, await ownOpener(runtime, source.recipient))
  await consumed(
    runtime,
    { ...tool, name: `berth-load-${row.id}`, program: backup.restore(settings, { ...place, roles }, version) },
    object,
    signal,
  )
  const dumper = { ...tool, name: `berth-dump-${row.id}`, program: backup.dump(settings, place, version) }
  return contentsOf(runtime, server, row.id, outputOf(runtime, dumper, signal), signal)
}

/** The bytes of the dump; throws at their end where they are not those that were sent. */
export async function* objectOf(
  it: Running,
  source: Pick<BackupRunTable, 'key'>,
  { sha256 }: Pick<Manifest, 'sha256'>,
  open: Open,
): Bytes {
  const [sum, progress] = [summed(), progressOf(it)]
  const object = tapped(it.bucket.get(source.key!, it.signal), (piece) => {
    sum.tap(piece)
    return progress(piece.length)
  })
  yield* decompressed(open(object))
  if (sum.sum().sha256 !== sha256) throw new RunFailure({ reason: 'ObjectChanged' })
}

async function scratchServer(
  { runtime, row, signal }: Running,
  manifest: Manifest,
): Promise<{ server: Server; ended: Promise<never> }> {
  const kind = kindNamed(manifest.kind)
  const host = `berth-scratch-${row.id}`
  const settings: Settings = { ...manifest.settings }
  for (const name of kind.secrets) settings[name] = base32Secret(6)
  if ('databaseName' in settings) settings.databaseName = manifest.database
  const { still } = kind.backup!
  const { args, files } = kind.launch?.(settings, [...still], null) ?? { args: [...still], files: [] }
  const { image, serverVersion: version } = manifest
  const mask = (text: string) => text
  const job = await runtime.engine.runJob(
    {
      name: host,
      recordId: row.id,
      image,
      argv: args,
      env: kind.env(settings),
      stdin: false,
      asImage: true,
      files: files.map((file) => ({ ...file, mode: 0o644 })),
    },
    signal,
  )
  job.stdout.resume()
  const ended: Promise<never> = job.ended.then(({ exitCode, lastLines }) => {
    throw new RunFailure({ reason: 'ScratchServerEnded', exitCode, detail: detailOf(lastLines), cause: null })
  })
  ended.catch(() => undefined)
  const server: Server = { kind, image, settings, host, version, mask }
  await Promise.race([ended, untilReady(runtime, server, row.id, signal)])
  return { server, ended }
}
