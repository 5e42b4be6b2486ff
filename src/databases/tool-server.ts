/** The server of a service as the tools reach it: over the network, with the credentials that were proven last. */
import { resolveImage } from '../kinds/images.ts'
import { kindNamed } from '../kinds/index.ts'
import type { Kind } from '../kinds/kind.ts'
import { maskerOf } from '../lib/crypto/mask.ts'
import type { DatabaseTable, VolumeTable } from '../store/schema.ts'
import { secretsOf } from './secrets.ts'
import { openTarget, type Settings, settingsOfVolume } from './targets.ts'
import { imageOf } from './reconcile/specs.ts'
import type { Runtime } from '../runtime.ts'
import { RunFailure } from '../dumps/failures.ts'

export interface Server {
  kind: Kind
  /** The very one that its server runs: its tools are those. */
  image: string
  settings: Settings
  host: string
  /** Of the server that wrote the volume; null where it has never been logged in to. */
  version: string | null
  /** Takes its passwords out of what a tool printed. */
  mask(text: string): string
}

/** `dockerImage`: what its image is called, in other places too. */
export interface ServiceServer extends Server {
  dockerImage: string
}

export interface Subject {
  row: DatabaseTable
  volume: VolumeTable
}

/** Throws RunFailure where the service is gone, or was never deployed. */
export async function subjectOf({ db }: Runtime, databaseId: string | null): Promise<Subject> {
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
 * The container that runs, by its id; its data is known to be the service's. Throws RunFailure where that is not known,
 * as of one that the swarm has just started: what would be dumped may be an empty or a foreign volume.
 */
export async function provenTask({ db, engine }: Runtime, databaseId: string): Promise<string> {
  const row = await db
    .selectFrom('database')
    .select(['appName', 'provenTask'])
    .where('id', '=', databaseId)
    .executeTakeFirst()
  const tasks = row === undefined ? [] : await engine.tasks([row.appName])
  const running = tasks.filter(({ state, desired }) => state === 'running' && desired === 'running')
  const [task] = running
  if (running.length === 1 && task?.id === row?.provenTask) return task!.id
  throw new RunFailure({ reason: 'DataNotCompared' })
}

/**
 * Throws RunFailure where it does not run, or takes no login. A restore does not mind the latter: a database that was
 * dropped lets nobody in who names it.
 */
export function serverOf(runtime: Runtime, { row, volume }: Subject, isForRestore = false): ServiceServer {
  const target = openTarget(runtime.vault, 'target', row)
  if (target === null || row.goal !== 'up') throw new RunFailure({ reason: 'ServiceStopped' })
  const isUnproven = row.observed === 'unproven'
  if (isUnproven && !isForRestore) throw new RunFailure({ reason: 'LoginRefused', detail: row.statusReason })
  if (row.observed !== 'up' && !isUnproven) throw new RunFailure({ reason: 'ServiceDown' })
  const kind = kindNamed(row.kind)
  return {
    kind,
    image: imageOf(target, runtime.config.imageAliases),
    dockerImage: resolveImage(target.dockerImage, runtime.config.imageAliases),
    settings: settingsOfVolume(runtime.vault, volume),
    host: row.appName,
    version: volume.serverVersion,
    mask: maskerOf(secretsOf(runtime.vault, row, volume, kind.secrets)),
  }
}
