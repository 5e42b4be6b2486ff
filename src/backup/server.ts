/** The server of a service as the tools reach it: over the network, with the credentials that were proven last. */
import { kindNamed } from '../kinds/index.ts'
import { resolveImage } from '../kinds/images.ts'
import type { Kind } from '../kinds/kind.ts'
import { maskerOf } from '../lib/mask.ts'
import type { DatabaseTable, VolumeTable } from '../store/schema.ts'
import { secretsOf } from '../store/secrets.ts'
import { openTarget, type Settings, settingsOfVolume } from '../store/targets.ts'
import type { World } from '../work/world.ts'

export interface Server {
  kind: Kind
  image: string
  settings: Settings
  host: string
  /** Of the server that wrote the volume; null where it has never been logged in to. */
  version: string | null
  /** Takes its passwords out of what a tool printed. */
  mask(text: string): string
}

/** What the caller is told in a run's reason: no defect of Berth. */
export class RunFailure extends Error {}

export interface Subject { row: DatabaseTable; volume: VolumeTable }

/** Throws RunFailure where the service is gone, or was never deployed. */
export async function subjectOf({ db }: World, databaseId: string | null): Promise<Subject> {
  const row = await db.selectFrom('database').selectAll().where('id', '=', databaseId ?? '').executeTakeFirst()
  if (row === undefined || row.goal === 'gone') throw new RunFailure('The service was removed')
  const volume = await db.selectFrom('volume').selectAll().where('id', '=', row.volumeId ?? '').executeTakeFirst()
  if (volume === undefined) throw new RunFailure('The service was never deployed')
  return { row, volume }
}

/** Throws RunFailure where it does not run. */
export function serverOf(world: World, { row, volume }: Subject): Server {
  const target = openTarget(world.vault, 'target', row)
  if (target === null || row.goal !== 'up') throw new RunFailure('The service is stopped')
  if (row.observed === 'unproven') throw new RunFailure(row.statusReason ?? 'The service takes no login')
  if (row.observed !== 'up') throw new RunFailure('The service does not run at the moment')
  const kind = kindNamed(row.kind)
  return {
    kind, image: resolveImage(target.dockerImage, world.config.imageAliases),
    settings: settingsOfVolume(world.vault, volume), host: row.appName, version: volume.serverVersion,
    mask: maskerOf(secretsOf(world.vault, row, volume, kind.secrets)),
  }
}
