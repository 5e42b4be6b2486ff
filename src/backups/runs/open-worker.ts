/** Starts the worker of a run, and decides whether the run's data goes through Berth instead. */
import type { DataLocation } from '../../dumps/archive.ts'
import type { DumpServer } from '../../dumps/dump-server.ts'
import type { Worker } from '../../dumps/direct/follow-worker.ts'
import { NotDirect } from '../../dumps/direct/not-direct.ts'
import type { PipedTool } from '../../dumps/direct/piped-tools.ts'
import type { Reading, Work } from '../../dumps/direct/protocol.ts'
import { startWorker } from '../../dumps/direct/start-worker.ts'
import type { StreamedReason } from '../../dumps/streamed-reason.ts'
import { EngineFailure } from '../../engine/failures.ts'
import { toJson } from '../../lib/json.ts'
import { progressOf, type RunContext, store } from './run.ts'

/** Either a worker, or the location of the tools whose data goes through Berth; null: Berth's own node. */
export type Transfer = { worker: Worker; location: DataLocation } | { worker: null; location: DataLocation | null }

/**
 * @param location where the data is; null: unknown
 * @param key the object that the worker reads or uploads
 * @returns the transfer; if it goes through Berth, the row of the run has the reason
 */
export async function openTransfer(
  run: RunContext,
  location: DataLocation | null,
  key: string,
  work: Work,
): Promise<Transfer> {
  const { runtime, row, bucket, signal } = run
  if (location === null) return streamed(run, { reason: 'NoContainer' }, null)
  if (row.unfinishedStarts > 1) await removeEarlierTools(run, location)
  try {
    const options = { name: `berth-worker-${row.id}`, recordId: row.id, location, bucket, key, work }
    return { location, worker: await startWorker(runtime, { ...options, onProgress: progressOf(run) }, signal) }
  } catch (error) {
    if (!(error instanceof NotDirect)) throw error
    const isOutOfReach = error.reason.reason === 'NodeUnreachable'
    return streamed(run, error.reason, isOutOfReach ? null : location)
  }
}

/**
 * Removes the tools of an earlier Berth process. The start of a worker replaces the earlier worker, whose volume is
 * removed only if no tool has it any more.
 */
async function removeEarlierTools({ runtime, row }: RunContext, { nodeId }: DataLocation): Promise<void> {
  for (const part of ['dump', 'load', 'read']) {
    await runtime.engine.removeJob(`berth-${part}-${row.id}`, nodeId).catch((error: unknown) => {
      // If the engine of the node cannot be used, no worker starts there.
      if (!(error instanceof EngineFailure)) throw error
    })
  }
}

async function streamed(run: RunContext, reason: StreamedReason, location: DataLocation | null): Promise<Transfer> {
  if (reason.reason !== 'StorageLocal') {
    run.runtime.log.warn('the data of a backup run goes through Berth', { runId: run.row.id, reason: reason.reason })
  }
  await store(run, { streamed: toJson(reason) })
  return { worker: null, location }
}

/** How a worker reads an archive of the server. */
export const readingOf = ({ kind }: DumpServer): Reading => ({
  format: kind.backup!.format,
  isUnpacked: kind.backup!.unpack !== undefined,
})

/** The server with the node on which tools of its image run; null: Berth's own. */
export const onNode = <S extends DumpServer>(server: S, location: DataLocation | null): S =>
  location === null ? server : { ...server, nodeId: location.nodeId }

/** The tool that unpacks an archive for the worker; none if the worker reads the archive itself. */
export function unpackTools({ kind, image, version, mask }: DumpServer, recordId: string): PipedTool[] {
  const { unpack } = kind.backup!
  if (unpack === undefined) return []
  const name = `berth-read-${recordId}`
  return [{ name, recordId, image, program: unpack(version), mask, input: 'packed', output: 'unpacked' }]
}
