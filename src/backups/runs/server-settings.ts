/**
 * The settings of a server that have other values during a restore. What they were is stored before the restore changes
 * them, so that they are set back also after a crash of Berth or of the restore's tool. A server that has ended has lost
 * the changed values by itself.
 */
import type { FoundTask } from '../../engine/engine.ts'
import type { Kind, ServerLogin } from '../../kinds/kind.ts'
import { kindNamed } from '../../kinds/index.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import type { Runtime } from '../../runtime.ts'
import { readServiceWithVolume } from '../../databases/tool-server.ts'
import { ownAccountOf } from '../../databases/login/own-account.ts'
import { settingsOfVolume } from '../../databases/targets.ts'
import { detailOf, RunFailure } from '../../dumps/failures.ts'
import * as volumes from '../../volumes/queries.ts'
import type { VolumeTable } from '../../volumes/table.ts'
import { lockingRestore } from '../database-locks.ts'

const timeoutMs = 10_000

/**
 * Stores the present values of the settings that a restore changes, unless an earlier restore has left its own values.
 *
 * @throws RunFailure if the values cannot be read: the restore could then not set them back
 */
export async function rememberSettings(
  runtime: Runtime,
  databaseId: string | null,
  mask: (text: string) => string,
): Promise<void> {
  const { row, volume } = await readServiceWithVolume(runtime, databaseId)
  const kind = kindNamed(row.kind)
  const { restoreSettings } = kind.backup ?? {}
  if (restoreSettings === undefined) return
  const task = await runningTask(runtime, row.appName)
  if (task?.address == null) throw new RunFailure({ reason: 'DataNotCompared' })
  if (fromJson(volume.restoreSettings)?.taskId === task.id) return
  const address = { host: task.address, port: kind.port }
  const program = restoreSettings.read(loginOf(runtime, volume), address)
  const { exitCode, stdout, stderr } = await runtime.engine.run(task, program, timeoutMs)
  const values = exitCode === 0 ? restoreSettings.parse(stdout) : null
  if (values === null) {
    const detail = detailOf(mask(stderr).trim() || 'It did not print the settings of the server')
    throw new RunFailure({ reason: 'ToolFailed', tool: program.argv[0]!, exitCode, outOfMemory: false, detail })
  }
  const stored = toJson({ taskId: task.id, values })
  await runtime.transact((tx) => volumes.recordRestoreSettings(tx, volume.id, stored))
}

/** Sets the settings of all servers back on which no restore runs. Returns false if a server must be tried again. */
export async function putAllBack(runtime: Runtime): Promise<boolean> {
  const rows = await runtime.db
    .selectFrom('volume')
    .select(['ownerId'])
    .where('restoreSettings', 'is not', null)
    .where('ownerId', 'is not', null)
    .execute()
  let isDone = true
  for (const { ownerId } of rows) {
    if ((await lockingRestore(runtime.db, ownerId!)) !== undefined) continue
    isDone = (await putSettingsBack(runtime, ownerId)) && isDone
  }
  return isDone
}

/** Sets the settings back that a restore has changed. Returns false if this must be tried again. Never throws. */
export async function putSettingsBack(runtime: Runtime, databaseId: string | null): Promise<boolean> {
  try {
    const { row, volume } = await readServiceWithVolume(runtime, databaseId)
    const changed = fromJson(volume.restoreSettings)
    if (changed === null) return true
    const task = await runningTask(runtime, row.appName)
    if (task?.id === changed.taskId && !(await write(runtime, kindNamed(row.kind), volume, task, changed.values))) {
      return false
    }
    await runtime.transact((tx) => volumes.recordRestoreSettings(tx, volume.id, null))
    return true
  } catch (error) {
    if (error instanceof RunFailure) return true
    runtime.log.warn('cannot set the settings of a server back after a restore', { databaseId, reason: String(error) })
    return false
  }
}

async function write(
  { engine, vault, log }: Runtime,
  kind: Kind,
  volume: VolumeTable,
  task: FoundTask,
  values: Readonly<Record<string, number>>,
): Promise<boolean> {
  const { restoreSettings } = kind.backup ?? {}
  if (restoreSettings === undefined || task.address === null) return restoreSettings === undefined
  const login = loginOf({ vault }, volume)
  const program = restoreSettings.write(login, { host: task.address, port: kind.port }, values)
  const { exitCode } = await engine.run(task, program, timeoutMs)
  if (exitCode !== 0) log.warn('a server refuses to set its settings back after a restore', { exitCode })
  return exitCode === 0
}

const loginOf = ({ vault }: Pick<Runtime, 'vault'>, volume: VolumeTable): ServerLogin => ({
  settings: settingsOfVolume(vault, volume),
  own: ownAccountOf(vault, volume),
})

async function runningTask({ engine }: Runtime, appName: string): Promise<FoundTask | undefined> {
  const tasks = await engine.tasks([appName])
  return tasks.find(({ state, desired }) => state === 'running' && desired === 'running')
}
