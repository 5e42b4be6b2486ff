/**
 * A dump, in three steps that each begin from the store: made and sent in one stream, read back and read to its end,
 * listed by a manifest beside it. Only what has all three is good.
 */
import type { ArchiveContents } from '../kinds/backup.ts'
import { encryptFor } from '../lib/encryption.ts'
import { contentsOf, outputOf, readWhilePassing } from './archive.ts'
import { keyOf, type Manifest } from './manifest.ts'
import { listBeside, progressOf, refuseOther, type Running, store } from './run.ts'
import { type Server, serverOf, subjectOf } from './server.ts'
import { compressed, decompressed, drain, summed, tapped } from './streams.ts'

/** From the step that the row says to the end. */
export async function dump(it: Running, prefix: string): Promise<void> {
  const subject = await subjectOf(it.world, it.row.databaseId)
  const server = serverOf(it.world, subject)
  if (it.row.step === 'dump') await send(it, server, prefix)
  if (it.row.step === 'check') await check(it, server)
  await listBeside(it)
}

async function send(it: Running, server: Server, prefix: string): Promise<void> {
  const { world, row, bucket, signal } = it
  const { kind, settings, host, version } = server
  const backup = kind.backup!
  const at = world.now()
  const extension = `${backup.extension}.zst${row.recipient === null ? '' : '.age'}`
  const key = keyOf({ prefix, appName: host, database: row.database, runId: row.id, extension, at })
  await store(it, { key, serverVersion: version, startedAt: at.toISOString() })
  const program = backup.dump(settings, { host, port: kind.port, database: row.database }, version)
  const tool = { name: `berth-dump-${row.id}`, recordId: row.id, image: server.image, program, mask: server.mask }
  const [sum, progress] = [summed(), progressOf(it)]
  let rawBytes = 0
  const raw = tapped(outputOf(world, tool, signal), (piece) => {
    rawBytes += piece.length
    return progress(piece.length)
  })
  // What is encrypted cannot be read again: its contents are read while it passes.
  const reading = row.recipient === null ? null : readWhilePassing(world, server, row.id, signal)
  const packed = compressed(reading === null ? raw : reading.through(raw))
  const sealed = row.recipient === null ? packed : encryptFor(row.recipient, packed)
  await bucket.upload(key, tapped(sealed, sum.tap), { signal, onBegun: (uploadId) => store(it, { uploadId }) })
  const manifest = manifestOf(it, server, { ...sum.sum(), rawBytes }, await reading?.contents)
  await store(it, {
    step: 'check', uploadId: null, ...sum.sum(), rawBytes: manifest.rawBytes, manifest: JSON.stringify(manifest),
  })
}

type Sizes = Pick<Manifest, 'sizeBytes' | 'sha256' | 'rawBytes'>

function manifestOf({ world, row }: Running, server: Server, sizes: Sizes, contents?: ArchiveContents): Manifest {
  const { kind, image, settings, host, version } = server
  const open = Object.fromEntries(Object.entries(settings).filter(([name]) => !kind.secrets.includes(name)))
  return {
    format: 1, kind: kind.name, appName: host, image, serverVersion: version, settings: open, database: row.database,
    runId: row.id, startedAt: row.startedAt!, finishedAt: world.now().toISOString(), ...sizes,
    encryptedFor: row.recipient, contents: contents ?? { tables: {}, objects: {}, roles: null, database: null },
  }
}

/** Good is what comes back: every byte of it, and to its end. */
async function check(it: Running, server: Server): Promise<void> {
  const { world, row, bucket, signal } = it
  const sum = summed()
  const object = tapped(bucket.get(row.key!, signal), sum.tap)
  const contents = row.recipient === null
    ? await contentsOf(world, server, row.id, decompressed(object), signal) : await drain(object)
  refuseOther(row, sum.sum())
  const manifest = JSON.parse(row.manifest!) as Manifest
  const whole = contents === undefined ? manifest : { ...manifest, contents }
  await store(it, { step: 'list', manifest: JSON.stringify(whole) })
}
