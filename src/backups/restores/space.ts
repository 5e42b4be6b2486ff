/** Whether the node of a service has room for a restore into it: until its end, the old and the new data exist. */
import type { EngineView } from '../../engine/view.ts'
import type { VolumeTable } from '../../store/schema.ts'
import { replacesVolume } from './new-volume.ts'

/** A lack of space, in bytes. */
export interface Lack {
  neededBytes: number
  freeBytes: number
}

interface Replaced {
  kind: string
  /** The size of the dump before compression; null: unknown. */
  rawBytes: number | null
}

/**
 * Compares the space that a restore needs with the free space. A new volume needs as much as the present one, or as the dump
 * if that is larger. Where the server replaces a database itself, only the dump is added. Unknown sizes count as none.
 *
 * @returns null if the space suffices or is unknown
 */
export function lackOf(
  { kind, rawBytes }: Replaced,
  { usedBytes, freeBytes }: { usedBytes: number | null; freeBytes: number | null },
): Lack | null {
  const neededBytes = Math.max(replacesVolume(kind) ? (usedBytes ?? 0) : 0, rawBytes ?? 0)
  return freeBytes === null || freeBytes >= neededBytes ? null : { neededBytes, freeBytes }
}

type Queries = Pick<EngineView, 'tasks' | 'usedBytes' | 'freeBytes'>

/**
 * Measures the volume of a service in its running container. Null if the space suffices or cannot be measured now.
 *
 * @throws EngineFailure if the node does not answer
 */
export async function findLack(
  engine: Queries,
  replaced: Replaced,
  appName: string,
  { dataPath }: Pick<VolumeTable, 'dataPath'>,
): Promise<Lack | null> {
  const tasks = await engine.tasks([appName])
  const task = tasks.find(({ state, desired }) => state === 'running' && desired === 'running')
  if (task === undefined) return null
  const usedBytes = replacesVolume(replaced.kind) ? await engine.usedBytes(task, dataPath) : null
  return lackOf(replaced, { usedBytes, freeBytes: await engine.freeBytes(task, dataPath) })
}
