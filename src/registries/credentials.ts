/** Finds the credentials for pulling an image, and updates the services of databases that use changed credentials. */
import type { CredentialsFor } from '../engine/engine.ts'
import { resolveImage } from '../kinds/images.ts'
import { forEachConcurrent } from '../lib/async/for-each-concurrent.ts'
import { parseRegistry, registryOf } from '../lib/registry-client/registry.ts'
import { registryFor } from './choice.ts'
import { openRegistryPassword } from './queries.ts'
import type { Reader } from '../store/schema.ts'
import { openTarget } from '../databases/targets.ts'
import type { Vault } from '../store/vault.ts'
import type { Runtime } from '../runtime.ts'

/** Returns a function that finds the credentials for an image; null if no registry has its host. */
export function credentialsFrom(db: Reader, vault: Vault): CredentialsFor {
  return async (image) => {
    const row = registryFor(await db.selectFrom('registry').selectAll().orderBy('id', 'desc').execute(), image)
    if (row === null) return null
    const serverAddress = parseRegistry(row.registryUrl)!.authKey
    return { username: row.username, password: openRegistryPassword(vault, row), serverAddress }
  }
}

const maxConcurrentUpdates = 8

/**
 * Updates the services of databases whose images come from a registry with changed credentials. Swarm stores
 * credentials with a service, and uses them to pull the image when it moves a task to another node. Only an update of
 * the service replaces these credentials.
 */
export async function renewCredentials(runtime: Runtime): Promise<void> {
  const { db, transact, vault, config, engine, ensureEngine, log } = runtime
  const changed = await db.selectFrom('changedCredentials').selectAll().execute()
  if (changed.length === 0) return
  const hosts = new Set(changed.map(({ host }) => host))
  const databases = await db.selectFrom('database').select(['id', 'appName', 'target']).execute()
  const affected = databases.filter((row) => {
    const target = openTarget(vault, 'target', row)
    return target !== null && hosts.has(registryOf(resolveImage(target.dockerImage, config.imageAliases)) ?? '')
  })
  await ensureEngine()
  await forEachConcurrent(affected, maxConcurrentUpdates, ({ appName }) => engine.renewCredentials(appName))
  const changeIds = changed.map(({ changeId }) => changeId)
  await transact(async (tx) => {
    await tx.deleteFrom('changedCredentials').where('changeId', 'in', changeIds).execute()
  })
  log.info('services updated with new registry credentials', {
    registries: [...hosts].join(' '),
    services: affected.length,
  })
}
