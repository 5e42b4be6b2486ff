/** Creates a dump and uploads it: directly from the node of the data, or through Berth. */
import {
  contentsOf,
  toolLocationOf,
  type DataLocation,
  readWhilePassing,
  type Tool,
  toolOutput,
} from '../../dumps/archive.ts'
import type { DumpServer } from '../../dumps/dump-server.ts'
import type { Worker } from '../../dumps/direct/follow-worker.ts'
import type { Report } from '../../dumps/direct/protocol.ts'
import { runPiped } from '../../dumps/direct/piped-tools.ts'
import { compressed, type Digest, digester, tapped } from '../../dumps/streams.ts'
import type { ArchiveContents } from '../../kinds/backup.ts'
import { encryptFor } from '../../lib/crypto/encryption.ts'
import { decryptionFor } from './decrypt-object.ts'
import { onNode, openTransfer, readingOf, unpackTools } from './open-worker.ts'
import { progressOf, type RunContext, store } from './run.ts'

/** An uploaded dump. `contents` is absent if they were not read during the upload. */
export interface Uploaded extends Digest {
  rawBytes: number
  contents: ArchiveContents | undefined
}

/**
 * Uploads the output of a dump tool. The upload is completed only after the tool has exited with 0.
 * @param location where the data is; null: unknown
 * @param key the key of the object
 */
export async function uploadDump(
  run: RunContext,
  server: DumpServer,
  location: DataLocation | null,
  key: string,
  tool: Tool,
): Promise<Uploaded> {
  const { recipient } = run.row
  // Berth cannot decrypt a dump for another recipient later, so the contents are read during the upload.
  const isReadNow = (await decryptionFor(run.runtime, recipient)) === null
  const reading = isReadNow ? readingOf(server) : null
  const transfer = await openTransfer(run, location, key, { do: 'dump', recipient, reading })
  if (transfer.worker === null)
    return uploadThroughBerth(
      run,
      onNode(server, transfer.location),
      key,
      { ...tool, location: toolLocationOf(transfer.location) },
      isReadNow,
    )
  return uploadDirectly(run, isReadNow ? server : null, key, tool, transfer)
}

/** @param unpacked the server whose archive is read during the upload; null: it is not read */
async function uploadDirectly(
  run: RunContext,
  unpacked: DumpServer | null,
  key: string,
  tool: Tool,
  { worker, location }: { worker: Worker; location: DataLocation },
): Promise<Uploaded> {
  const { runtime, bucket, signal } = run
  const tools = [
    { ...tool, input: null, output: 'dumped' as const },
    ...(unpacked === null ? [] : unpackTools(unpacked, tool.recordId)),
  ]
  let report: Report | undefined
  const send = async (uploadId: string) => {
    worker.beginUpload(uploadId)
    report = await runPiped(runtime, worker, location, tools, signal)
    return { parts: report.parts, sizeBytes: report.object!.sizeBytes }
  }
  try {
    await bucket.uploadThrough(key, send, { signal, onBegun: (uploadId) => store(run, { uploadId }) })
  } finally {
    await worker.stop().catch(() => undefined)
  }
  const { object, rawBytes, contents } = report!
  return { ...object!, rawBytes: rawBytes!, contents: contents ?? undefined }
}

async function uploadThroughBerth(
  run: RunContext,
  server: DumpServer,
  key: string,
  tool: Tool,
  isReadNow: boolean,
): Promise<Uploaded> {
  const { runtime, row, bucket, signal } = run
  const [digest, progress] = [digester(), progressOf(run)]
  let rawBytes = 0
  const raw = tapped(toolOutput(runtime, tool, signal), (piece) => {
    rawBytes += piece.length
    return progress(piece.length)
  })
  const reading = isReadNow ? readWhilePassing(runtime, server, row.id, signal) : null
  const packed = compressed(reading === null ? raw : reading.through(raw))
  const encrypted = row.recipient === null ? packed : encryptFor(row.recipient, packed)
  await bucket.upload(key, tapped(encrypted, digest.tap), { signal, onBegun: (uploadId) => store(run, { uploadId }) })
  return { ...digest.result(), rawBytes, contents: await reading?.result }
}

/** Reads the archive that a tool writes. If the run's dump was streamed through Berth, streams this archive, too. */
export async function readToolOutput(
  run: RunContext,
  server: DumpServer,
  location: DataLocation,
  key: string,
  tool: Tool,
): Promise<ArchiveContents> {
  const { runtime, row, signal } = run
  const isStreamed = row.streamed !== null
  const work = { do: 'count', reading: readingOf(server) } as const
  const transfer = isStreamed ? { worker: null, location } : await openTransfer(run, location, key, work)
  if (transfer.worker === null) {
    const output = toolOutput(runtime, { ...tool, location: toolLocationOf(transfer.location) }, signal)
    return contentsOf(runtime, onNode(server, transfer.location), row.id, output, signal)
  }
  const tools = [{ ...tool, input: null, output: 'dumped' as const }, ...unpackTools(server, row.id)]
  const { contents } = await runPiped(runtime, transfer.worker, transfer.location, tools, signal)
  return contents!
}
