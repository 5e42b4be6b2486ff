/** Finds the services of databases that use images of a registry. */
import { hostOf, registryOf } from '../lib/registry-client/registry.ts'
import { openTarget } from '../databases/targets.ts'
import type { Reader, RegistryTable } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'

/**
 * Returns the names of the services of databases whose images need the credentials of the registry. Images of Docker Hub
 * need none. If another registry has the same host, Docker pulls with the credentials of that registry instead.
 */
export async function servicesUsing(db: Reader, vault: Vault, row: RegistryTable): Promise<string[]> {
  const host = hostOf(row.registryUrl)
  const others = await db.selectFrom('registry').select('registryUrl').where('id', '!=', row.id).execute()
  // Docker can pull most images of Docker Hub without credentials.
  if (host === 'docker.io' || others.some(({ registryUrl }) => hostOf(registryUrl) === host)) return []
  const databases = await db
    .selectFrom('database')
    .select(['id', 'appName', 'dockerImage', 'target'])
    .where('goal', '!=', 'gone')
    .orderBy('id')
    .execute()
  return databases
    .filter((database) =>
      [database.dockerImage, openTarget(vault, 'target', database)?.dockerImage].some(
        (image) => image !== undefined && registryOf(image) === host,
      ),
    )
    .map(({ appName }) => appName)
}
