/**
 * A dump, in three steps that each begin from the store: made and sent in one stream, read back and read to its end,
 * listed by a manifest beside it. Only what has all three is good.
 */
import { type ArchiveContents, defaultLockSeconds } from '../../kinds/backup.ts'
import type { Kind } from '../../kinds/kind.ts'
import { encryptFor } from '../../lib/crypto/encryption.ts'
import type { BackupRunTable } from '../table.ts'
import { contentsOf, outputOf, readWhilePassing } from '../../dumps/archive.ts'
import { keyOf, type Manifest, rowsIn } from '../../dumps/manifest.ts'
import { openerFor } from './open-object.ts'
import { listBeside, progressOf, refuseOther, type Running, store } from './run.ts'
import { NothingThere, RunFailure } from '../../dumps/failures.ts'
import { provenTask, type Server, serverOf, type ServiceServer, subjectOf } from '../../databases/tool-server.ts'
import { compressed, decompressed, drain, summed, tapped } from '../../dumps/streams.ts'

/** From the step that the row says to the end. */
export async function dump(it: Running, prefix: string): Promise<void> {
  const subject = await subjectOf(it.runtime, it.row.databaseId)
  const server = serverOf(it.runtime, subject, it.row.trigger === 'safety')
  if (it.row.step === 'dump') await sendProven(it, server, prefix, subject.row.id)
  if (it.row.step === 'check') await check(it, server)
  await listBeside(it)
}

/** Before and after: what was dumped is the data that was compared, and nothing that came in its place. */
async function sendProven(it: Running, server: ServiceServer, prefix: string, databaseId: string): Promise<void> {
  const task = await provenTask(it.runtime, databaseId)
  const patch = await send(it, server, prefix)
  if ((await provenTask(it.runtime, databaseId)) !== task) throw new RunFailure({ reason: 'ContainerReplaced' })
  await store(it, patch)
}

/** Gives what is to be stored of it. */
async function send(it: Running, server: ServiceServer, prefix: string): Promise<Partial<BackupRunTable>> {
  const { runtime, row, bucket, signal } = it
  const { kind, settings, host, version } = server
  const backup = kind.backup!
  const at = runtime.now()
  const extension = `${backup.extension}.zst${row.recipient === null ? '' : '.age'}`
  const key = keyOf({ prefix, appName: host, database: row.database, runId: row.id, extension, at })
  await store(it, { key, serverVersion: version, startedAt: at.toISOString() })
  // Sooner than the tool counts as idle: so it says itself what it waited for, and its session ends.
  const lockSeconds = Math.max(1, Math.min(defaultLockSeconds, Math.floor(runtime.config.backups.idleMs / 2000)))
  const program = backup.dump(settings, { host, port: kind.port, database: row.database, lockSeconds }, version)
  const tool = { name: `berth-dump-${row.id}`, recordId: row.id, image: server.image, program, mask: server.mask }
  const [sum, progress] = [summed(), progressOf(it)]
  let rawBytes = 0
  const raw = tapped(outputOf(runtime, tool, signal), (piece) => {
    rawBytes += piece.length
    return progress(piece.length)
  })
  // A dump for another identity cannot be read again: its contents are read while it passes.
  const canOpen = (await openerFor(runtime, row.recipient)) !== null
  const reading = canOpen ? null : readWhilePassing(runtime, server, row.id, signal)
  const packed = compressed(reading === null ? raw : reading.through(raw))
  const sealed = row.recipient === null ? packed : encryptFor(row.recipient, packed)
  await bucket.upload(key, tapped(sealed, sum.tap), { signal, onBegun: (uploadId) => store(it, { uploadId }) })
  const contents = await reading?.contents
  refuseEmpty(row, server.kind, contents)
  const manifest = manifestOf(it, server, { ...sum.sum(), rawBytes }, contents)
  return {
    step: 'check',
    uploadId: null,
    ...sum.sum(),
    rawBytes: manifest.rawBytes,
    manifest: JSON.stringify(manifest),
  }
}

type Sizes = Pick<Manifest, 'sizeBytes' | 'sha256' | 'rawBytes'>

function manifestOf(
  { runtime, row }: Running,
  server: ServiceServer,
  sizes: Sizes,
  contents?: ArchiveContents,
): Manifest {
  const { kind, dockerImage: image, settings, host, version } = server
  const open = Object.fromEntries(Object.entries(settings).filter(([name]) => !kind.secrets.includes(name)))
  return {
    format: 1,
    kind: kind.name,
    appName: host,
    image,
    serverVersion: version,
    settings: open,
    database: row.database,
    runId: row.id,
    startedAt: row.startedAt!,
    finishedAt: runtime.now().toISOString(),
    ...sizes,
    encryptedFor: row.recipient,
    contents: contents ?? { tables: {}, objects: {}, roles: null, database: null },
  }
}

/** A safety dump may hold accounts alone: they are lost where they are not in it. */
function refuseEmpty({ trigger }: Running['row'], kind: Kind, contents?: ArchiveContents): void {
  if (kind.backup!.emptyIsMissing !== true || contents === undefined) return
  const { tables, objects } = contents
  const names = Object.keys(trigger === 'safety' ? { ...tables, ...objects } : tables)
  if (names.length > 0) return
  throw new NothingThere({ reason: 'DumpEmpty' })
}

/** Good is what comes back: every byte of it, and to its end. */
async function check(it: Running, server: Server): Promise<void> {
  const { runtime, row, bucket, signal } = it
  const sum = summed()
  const open = await openerFor(runtime, row.recipient)
  const object = tapped(bucket.get(row.key!, signal), sum.tap)
  let contents: ArchiveContents | undefined
  if (open === null) await drain(object)
  else contents = await contentsOf(runtime, server, row.id, decompressed(open(object)), signal)
  refuseOther(row, sum.sum())
  refuseEmpty(row, server.kind, contents)
  const manifest = JSON.parse(row.manifest!) as Manifest
  const whole = contents === undefined ? manifest : { ...manifest, contents }
  await store(it, { step: 'list', rowCount: rowsIn(whole.contents), manifest: JSON.stringify(whole) })
}
