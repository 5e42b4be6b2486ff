/**
 * Records that a process in a running container was killed because it ran out of memory. The engine reports this only
 * once, as an event.
 */
import type { StatusReason } from '../status.ts'
import type { EngineEvent } from '../../engine/engine.ts'
import { toJson } from '../../lib/json.ts'
import { openTarget } from '../targets.ts'
import type { Runtime } from '../../runtime.ts'

/** Records an `oom` event of a database that is up. If the container ends too, the watch loop records more details. */
export async function recordOutOfMemory(runtime: Runtime, { serviceName, action }: EngineEvent): Promise<void> {
  const { db, transact, vault, now } = runtime
  if (action !== 'oom' || serviceName === null) return
  const row = await db
    .selectFrom('database')
    .selectAll()
    .where('appName', '=', serviceName)
    .where('observed', '=', 'up')
    .where('deploymentId', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return
  const memoryLimitMiB = openTarget(vault, 'target', row)?.memoryLimit ?? null
  const statusReason = toJson<StatusReason>({ reason: 'ProcessKilled', at: now().toISOString(), memoryLimitMiB })
  await transact((tx) =>
    tx
      .updateTable('database')
      .set({ statusReason })
      .where('id', '=', row.id)
      .where('observed', '=', 'up')
      .where('deploymentId', 'is', null)
      .execute(),
  )
}
