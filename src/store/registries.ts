/** Credentials of registries, sealed in the store. */
import type { RegistryTable } from './schema.ts'
import type { Vault } from './vault.ts'

interface Secrets { password: string }

const placeOf = (row: string) => ({ table: 'registry', column: 'secrets', row })

export function sealRegistry(vault: Vault, row: string, password: string): string {
  const secrets: Secrets = { password }
  return vault.seal(placeOf(row), JSON.stringify(secrets))
}

export function openRegistryPassword(vault: Vault, { id, secrets }: RegistryTable): string {
  return (JSON.parse(vault.open(placeOf(id), secrets)) as Secrets).password
}
