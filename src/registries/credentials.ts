/** Which credentials an image is pulled with, and services being told of new ones. */
import type { CredentialsFor } from '../engine/engine.ts'
import { resolveImage } from '../kinds/images.ts'
import { forEachConcurrent } from '../lib/async/for-each-concurrent.ts'
import { hostOf, parseRegistry, registryOf } from '../lib/registry-client/registry.ts'
import { openRegistryPassword } from './queries.ts'
import type { Reader } from '../store/schema.ts'
import { openTarget } from '../databases/targets.ts'
import type { Vault } from '../store/vault.ts'
import type { Runtime } from '../runtime.ts'

/** Those of the registry that was made last, of several for one host. */
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

const atOnce = 8

/** The swarm keeps the credentials of a service from its last change on, and pulls with them when it moves a task. */
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
  await forEachConcurrent(users, atOnce, ({ appName }) => engine.renewCredentials(appName))
  const changeIds = changed.map(({ changeId }) => changeId)
  await transact(async (tx) => {
    await tx.deleteFrom('changedCredentials').where('changeId', 'in', changeIds).execute()
  })
  log.info('services were told of new credentials', { registries: [...hosts].join(' '), services: users.length })
}
