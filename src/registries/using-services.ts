/** Finds the services of databases that use images of a registry. */
import { hostOf } from '../lib/registry-client/registry.ts'
import { fitOf, registryFor } from './choice.ts'
import { openTarget } from '../databases/targets.ts'
import type { Reader, RegistryTable } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'

/**
 * Returns the names of the services of databases whose images need the credentials of the registry. Images of Docker Hub
 * need none, and neither do images that another registry has credentials for: its host and prefix fit.
 */
export async function servicesUsing(db: Reader, vault: Vault, row: RegistryTable): Promise<string[]> {
  const host = hostOf(row.registryUrl)
  const others = await db.selectFrom('registry').selectAll().where('id', '!=', row.id).execute()
  // Docker can pull most images of Docker Hub without credentials.
  if (host === 'docker.io') return []
  const databases = await db
    .selectFrom('database')
    .select(['id', 'appName', 'dockerImage', 'target'])
    .where('goal', '!=', 'gone')
    .orderBy('id')
    .execute()
  return databases
    .filter((database) =>
      [database.dockerImage, openTarget(vault, 'target', database)?.dockerImage].some(
        (image) =>
          image !== undefined &&
          registryFor([...others, row], image)?.id === row.id &&
          !others.some((other) => fitOf(other, image) !== null),
      ),
    )
    .map(({ appName }) => appName)
}
