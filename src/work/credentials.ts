/** Which credentials an image is pulled with. */
import type { CredentialsFor } from '../engine/engine.ts'
import { hostOf, parseRegistry, registryOf } from '../lib/registry.ts'
import { openRegistryPassword } from '../store/registries.ts'
import type { Reader } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'

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
