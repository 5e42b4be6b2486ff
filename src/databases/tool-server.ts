/**
 * The address and the credentials with which tools such as pg_dump reach the server of a service. Tools use the network
 * and the credentials of the last successful login.
 */
import type { FoundTask } from '../engine/engine.ts'
import { resolveImage } from '../kinds/images.ts'
import { kindNamed } from '../kinds/index.ts'
import type { OwnAccount } from '../kinds/kind.ts'
import { maskerOf } from '../lib/crypto/mask.ts'
import type { DatabaseTable, VolumeTable } from '../store/schema.ts'
import { ensureOwnAccount } from './login/ensure-own-account.ts'
import { ownAccountOf } from './login/own-account.ts'
import { secretsOf } from './login/secrets.ts'
import { workReasonOf } from './status.ts'
import { openTarget, type Settings, settingsOfVolume, type Target } from './targets.ts'
import { imageOf } from './reconcile/specs.ts'
import type { Runtime } from '../runtime.ts'
import { RunFailure } from '../dumps/failures.ts'
import type { DumpServer } from '../dumps/dump-server.ts'

/** A server as tools reach it: its address, its credentials and the image with the tools. */
export interface Server extends DumpServer {
  settings: Settings
  /** Berth's own account, with which the tools log in; null if the server has none. */
  own: OwnAccount | null
  host: string
  /** Whether the server is on the network without a way out. */
  isIsolated?: boolean
}

/** `dockerImage` is the reference of the image. `image` can be an id that only this installation knows. */
export interface ServiceServer extends Server {
  dockerImage: string
  target: Target
}

/** A service that has a volume. */
export interface ServiceWithVolume {
  row: DatabaseTable
  volume: VolumeTable
}

/**
 * Reads a service and its volume. The service may be stopped.
 *
 * @throws RunFailure if the service was removed or never deployed
 */
export async function readServiceWithVolume(
  { db }: Pick<Runtime, 'db'>,
  databaseId: string | null,
): Promise<ServiceWithVolume> {
  const row = await db
    .selectFrom('database')
    .selectAll()
    .where('id', '=', databaseId ?? '')
    .executeTakeFirst()
  if (row === undefined || row.goal === 'gone') throw new RunFailure({ reason: 'ServiceRemoved' })
  const volume = await db
    .selectFrom('volume')
    .selectAll()
    .where('id', '=', row.volumeId ?? '')
    .executeTakeFirst()
  if (volume === undefined) throw new RunFailure({ reason: 'ServiceNotDeployed' })
  return { row, volume }
}

/**
 * Reads a service before tools log in to its server. If the server runs, makes sure that it has Berth's own account: it
 * may have been removed since the last login.
 *
 * @throws RunFailure if the service was removed or never deployed
 */
export async function readServiceForTools(runtime: Runtime, databaseId: string | null): Promise<ServiceWithVolume> {
  const service = await readServiceWithVolume(runtime, databaseId)
  const { row, volume } = service
  if (row.goal !== 'up' || row.observed !== 'up') return service
  const task = (await runtime.engine.tasks([row.appName])).find(({ id }) => id === row.provenTask)
  if (task?.state !== 'running') return service
  const server = { databaseId: row.id, kind: kindNamed(row.kind), volume, task }
  await ensureOwnAccount(runtime, server, [settingsOfVolume(runtime.vault, volume)], null)
  return readServiceWithVolume(runtime, databaseId)
}

/**
 * The service's running task, if Berth has verified that the task runs on the service's data.
 *
 * @throws RunFailure if not exactly one task runs, or if this task was not verified yet, for example because Swarm has
 * just started it: a dump could then contain the data of an empty or a foreign volume
 */
export async function provenTask({ db, engine }: Runtime, databaseId: string): Promise<FoundTask> {
  const row = await db
    .selectFrom('database')
    .select(['appName', 'provenTask'])
    .where('id', '=', databaseId)
    .executeTakeFirst()
  const tasks = row === undefined ? [] : await engine.tasks([row.appName])
  const running = tasks.filter(({ state, desired }) => state === 'running' && desired === 'running')
  const [task] = running
  if (running.length === 1 && task?.id === row?.provenTask) return task!
  throw new RunFailure({ reason: 'DataNotCompared' })
}

/**
 * The server of a running service.
 *
 * @param isForRestore whether to accept a server that refuses Berth's logins: they fail if the database that they name
 * was dropped
 * @throws RunFailure if the service does not run, or if it refuses logins and `isForRestore` is false
 */
export function serverOf(runtime: Runtime, { row, volume }: ServiceWithVolume, isForRestore = false): ServiceServer {
  const target = openTarget(runtime.vault, 'target', row)
  if (target === null || row.goal !== 'up') throw new RunFailure({ reason: 'ServiceStopped' })
  const isUnproven = row.observed === 'unproven'
  if (isUnproven && !isForRestore) throw new RunFailure({ reason: 'LoginRefused', cause: workReasonOf(row) })
  if (row.observed !== 'up' && !isUnproven) throw new RunFailure({ reason: 'ServiceDown' })
  const kind = kindNamed(row.kind)
  return {
    kind,
    image: imageOf(target, runtime.config.imageAliases),
    dockerImage: resolveImage(target.dockerImage, runtime.config.imageAliases),
    settings: settingsOfVolume(runtime.vault, volume),
    own: ownAccountOf(runtime.vault, volume),
    host: row.appName,
    target,
    version: volume.serverVersion,
    mask: maskerOf(secretsOf(runtime.vault, row, volume, kind.secrets)),
  }
}
