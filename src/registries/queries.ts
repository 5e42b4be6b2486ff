/** Registries in the store: credentials, sealed, and the one that Berth runs. */
import { hostOf } from '../lib/registry-client/registry.ts'
import { type RegistryServerTable, serverId } from './table.ts'
import type { Reader, RegistryTable, Writer } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'

interface Secrets {
  password: string
}

const placeOf = (row: string) => ({ table: 'registry', column: 'secrets', row })

export function sealRegistry(vault: Vault, row: string, password: string): string {
  const secrets: Secrets = { password }
  return vault.seal(placeOf(row), JSON.stringify(secrets))
}

export function openRegistryPassword(vault: Vault, { id, secrets }: RegistryTable): string {
  return (JSON.parse(vault.open(placeOf(id), secrets)) as Secrets).password
}

const htpasswdPlace = { table: 'registryServer', column: 'htpasswd', row: serverId }

/** `hash`: bcrypt, of the password. */
export const sealHtpasswd = (vault: Vault, { username, hash }: Htpasswd): string =>
  vault.seal(htpasswdPlace, JSON.stringify({ username, hash } satisfies Htpasswd))

export const openHtpasswd = (vault: Vault, { htpasswd }: RegistryServerTable): Htpasswd =>
  JSON.parse(vault.open(htpasswdPlace, htpasswd)) as Htpasswd

export interface Htpasswd {
  username: string
  hash: string
}

export function serverOf(db: Reader): Promise<RegistryServerTable | undefined> {
  return db.selectFrom('registryServer').selectAll().where('id', '=', serverId).executeTakeFirst()
}

/** Services with images of these are told whom they are pulled as, by the registry's loop. */
export async function noteChangedCredentials(tx: Writer, changeId: string, registryUrls: string[]): Promise<void> {
  for (const host of new Set(registryUrls.map((url) => hostOf(url)!))) {
    await tx
      .insertInto('changedCredentials')
      .values({ host, changeId })
      .onConflict((conflict) => conflict.column('host').doUpdateSet({ changeId }))
      .execute()
  }
}
