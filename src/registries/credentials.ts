/** Finds the credentials that an image is pulled with, and gives changed credentials to the services that use them. */
import type { CredentialsFor } from '../engine/engine.ts'
import { resolveImage } from '../kinds/images.ts'
import { forEachConcurrent } from '../lib/async/for-each-concurrent.ts'
import { hostOf, parseRegistry, registryOf } from '../lib/registry-client/registry.ts'
import { openRegistryPassword } from './queries.ts'
import type { Reader } from '../store/schema.ts'
import { openTarget } from '../databases/targets.ts'
import type { Vault } from '../store/vault.ts'
import type { Runtime } from '../runtime.ts'

/** Finds credentials by the host in an image's name. If several registries have one host, the newest one is used. */
export function credentialsFrom(db: Reader, vault: Vault): CredentialsFor {
  return async (image) => {
    const host = registryOf(image)
    if (host === null) return null
    const rows = await db.selectFrom('registry').selectAll().orderBy('id', 'desc').execute()
    const row = rows.find(({ registryUrl }) => hostOf(registryUrl) === host)
    if (row === undefined) return null
    const serverAddress = parseRegistry(row.registryUrl)!.authKey
    return { username: row.username, password: openRegistryPassword(vault, row), serverAddress }
  }
}

const maxConcurrentUpdates = 8

/**
 * Updates the services whose registry has changed credentials. Swarm stores the credentials of a service at each update
 * and uses them to pull when it moves a task.
 */
export async function renewCredentials(runtime: Runtime): Promise<void> {
  const { db, transact, vault, config, engine, ensureEngine, log } = runtime
  const changed = await db.selectFrom('changedCredentials').selectAll().execute()
  if (changed.length === 0) return
  const hosts = new Set(changed.map(({ host }) => host))
  const databases = await db.selectFrom('database').select(['id', 'appName', 'target']).execute()
  const users = databases.filter((row) => {
    const target = openTarget(vault, 'target', row)
    return target !== null && hosts.has(registryOf(resolveImage(target.dockerImage, config.imageAliases)) ?? '')
  })
  await ensureEngine()
  await forEachConcurrent(users, maxConcurrentUpdates, ({ appName }) => engine.renewCredentials(appName))
  const changeIds = changed.map(({ changeId }) => changeId)
  await transact(async (tx) => {
    await tx.deleteFrom('changedCredentials').where('changeId', 'in', changeIds).execute()
  })
  log.info('services updated with new registry credentials', {
    registries: [...hosts].join(' '),
    services: users.length,
  })
}
