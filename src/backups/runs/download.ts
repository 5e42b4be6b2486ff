/** Downloads a dump and loads or reads it: directly on the node of the data, or through Berth. */
import { contentsOf, toolLocationOf, feedTool, type DataLocation, type Tool } from '../../dumps/archive.ts'
import type { DumpServer } from '../../dumps/dump-server.ts'
import { runPiped } from '../../dumps/direct/piped-tools.ts'
import { RunFailure } from '../../dumps/failures.ts'
import { type Bytes, decompressed, type Digest, digester, drain, tapped } from '../../dumps/streams.ts'
import type { ArchiveContents } from '../../kinds/backup.ts'
import { type Decryption, fileKeyOfObject } from './decrypt-object.ts'
import { onNode, openTransfer, readingOf, unpackTools } from './open-worker.ts'
import { progressOf, type RunContext } from './run.ts'

/** An object in the storage, its checksum in the manifest, and how to decrypt it. */
export interface Source {
  key: string
  sha256: string
  decryption: Decryption
}

/**
 * Feeds the object to a restore tool.
 * @param location where the tool runs; null: unknown, or Berth's own node
 * @param begin called before the tool starts
 * @throws RunFailure if the checksum of the object differs; the tool is ended before its input ends
 */
export async function loadObject(
  run: RunContext,
  { key, sha256, decryption }: Source,
  location: DataLocation | null,
  tool: Tool,
  begin: () => Promise<void>,
): Promise<void> {
  const { runtime, bucket, signal } = run
  const fileKey = await fileKeyOfObject(bucket, key, decryption, signal)
  const transfer = await openTransfer(run, location, key, { do: 'load', fileKey, sha256 })
  try {
    await begin()
  } catch (error) {
    await transfer.worker?.stop().catch(() => undefined)
    throw error
  }
  if (transfer.worker === null) {
    return feedTool(
      runtime,
      { ...tool, location: toolLocationOf(transfer.location) },
      dumpStream(run, { key, sha256, decryption }),
      signal,
    )
  }
  await runPiped(runtime, transfer.worker, transfer.location, [{ ...tool, input: 'loaded', output: null }], signal)
}

/** Downloads, decrypts and decompresses a dump. Throws RunFailure at the end if the checksum of the object differs. */
async function* dumpStream(run: RunContext, { key, sha256, decryption }: Source): Bytes {
  const [digest, progress] = [digester(), progressOf(run)]
  const object = tapped(run.bucket.get(key, run.signal), (piece) => {
    digest.tap(piece)
    return progress(piece.length)
  })
  yield* decompressed(decryption.decrypt(object))
  if (digest.result().sha256 !== sha256) throw new RunFailure({ reason: 'ObjectChanged' })
}

/**
 * Reads the whole object back.
 * @param decryption null: Berth cannot decrypt the object, so its contents are not read
 */
export async function checkObject(
  run: RunContext,
  server: DumpServer,
  location: DataLocation | null,
  decryption: Decryption | null,
): Promise<{ digest: Digest; contents: ArchiveContents | undefined }> {
  const { runtime, row, bucket, signal } = run
  const key = row.key!
  const fileKey = decryption === null ? null : await fileKeyOfObject(bucket, key, decryption, signal)
  const opened = decryption === null ? null : { fileKey, reading: readingOf(server) }
  const transfer = await openTransfer(run, location, key, { do: 'check', opened })
  if (transfer.worker !== null) {
    const tools = decryption === null ? [] : unpackTools(server, row.id)
    const report = await runPiped(runtime, transfer.worker, transfer.location, tools, signal)
    return { digest: report.object!, contents: report.contents ?? undefined }
  }
  const digest = digester()
  const object = tapped(bucket.get(key, signal), digest.tap)
  if (decryption === null) {
    await drain(object)
    return { digest: digest.result(), contents: undefined }
  }
  const contents = await contentsOf(
    runtime,
    onNode(server, transfer.location),
    row.id,
    decompressed(decryption.decrypt(object)),
    signal,
  )
  return { digest: digest.result(), contents }
}
