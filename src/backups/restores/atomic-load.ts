/**
 * Restores into an existing service of a kind whose servers replace a database in one step. Before the load, Berth stores
 * what identifies the data; after it, Berth asks again. So the run knows whether the data was replaced, whatever was killed.
 */
import { type Server, readServiceWithVolume, serverOf } from '../../databases/tool-server.ts'
import { toolOutput } from '../../dumps/archive.ts'
import type { RestoredData } from '../../dumps/run-reason.ts'
import type { AtomicRestore, Program } from '../../kinds/backup.ts'
import { readWhole } from '../../lib/net/read-whole.ts'
import type { Runtime } from '../../runtime.ts'
import type { BackupRunTable } from '../table.ts'
import { store } from '../runs/run.ts'

/** How long a program may take. A server may have to write all of its data first. */
const maxProgramMs = 10 * 60_000
const maxPrintedBytes = 64 * 1024

/** What identifies the data now. Throws RunFailure if the server does not say it. */
export const identify = (runtime: Runtime, row: BackupRunTable): Promise<string> =>
  ask(runtime, row, 'identify', (programs, server, place) => programs.identify(server, place, row.id))

/**
 * Waits until the data is old or new, and stores which of both. Then removes what the restore has left on the server.
 *
 * @throws RunFailure if the server does not answer
 */
export async function findOutcome(runtime: Runtime, row: BackupRunTable): Promise<RestoredData> {
  await ask(runtime, row, 'end', (programs, server, place) => programs.end(server, place))
  // A restore that an older version of Berth began has nothing to compare with.
  if (row.data === null && row.dataBefore !== null) {
    await store(
      { runtime, row },
      { data: (await identify(runtime, row)) === row.dataBefore ? 'unchanged' : 'replaced' },
    )
  }
  await clear(runtime, row)
  return row.data ?? 'unknown'
}

/** Removes what a restore has left on the server, after its outcome is stored. */
export async function clear(runtime: Runtime, row: BackupRunTable): Promise<void> {
  await ask(runtime, row, 'clear', (programs, server, place) => programs.clear(server, place, row.id))
}

/** Runs a program in a job, and returns what it prints. */
async function ask(
  runtime: Runtime,
  row: BackupRunTable,
  part: string,
  programOf: (
    programs: AtomicRestore,
    server: Server,
    place: { host: string; port: number; database: string },
  ) => Program,
): Promise<string> {
  const server = serverOf(runtime, await readServiceWithVolume(runtime, row.databaseId), true)
  const { kind, host, image, mask } = server
  const program = programOf(kind.backup!.atomicRestore!, server, { host, port: kind.port, database: row.database })
  const tool = { name: `berth-${part}-${row.id}`, recordId: row.id, image, program, mask }
  const output = toolOutput(runtime, tool, AbortSignal.timeout(maxProgramMs))
  return (await readWhole(output, maxPrintedBytes, `The answer of ${host}`)).toString()
}
