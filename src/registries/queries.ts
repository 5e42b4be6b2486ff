/** Seals and opens the credentials of registries, records their changes, and reads the registry that Berth runs. */
import { hostOf } from '../lib/registry-client/registry.ts'
import { type RegistryServerTable, serverId } from './table.ts'
import type { Reader, RegistryTable, Writer } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'
import * as volumes from '../volumes/queries.ts'

/** The content of the sealed column `secrets` of the table `registry`. */
interface Secrets {
  password: string
}

const secretsColumn = (row: string) => ({ table: 'registry', column: 'secrets', row })

export function sealRegistryPassword(vault: Vault, id: string, password: string): string {
  const secrets: Secrets = { password }
  return vault.seal(secretsColumn(id), JSON.stringify(secrets))
}

export function openRegistryPassword(vault: Vault, { id, secrets }: RegistryTable): string {
  return (JSON.parse(vault.open(secretsColumn(id), secrets)) as Secrets).password
}

const htpasswdColumn = { table: 'registryServer', column: 'htpasswd', row: serverId }

export const sealHtpasswd = (vault: Vault, { username, hash }: Htpasswd): string =>
  vault.seal(htpasswdColumn, JSON.stringify({ username, hash } satisfies Htpasswd))

export const openHtpasswd = (vault: Vault, { htpasswd }: RegistryServerTable): Htpasswd =>
  JSON.parse(vault.open(htpasswdColumn, htpasswd)) as Htpasswd

/** A user of the registry that Berth runs. */
export interface Htpasswd {
  username: string
  /** The bcrypt hash of the password. */
  hash: string
}

/** Returns the registry that Berth runs, or undefined if there is none. */
export function serverOf(db: Reader): Promise<RegistryServerTable | undefined> {
  return db.selectFrom('registryServer').selectAll().where('id', '=', serverId).executeTakeFirst()
}

/**
 * Records that the credentials of these registries changed. The loop in loop.ts then updates the services that pull
 * from them.
 * @param changeId a new id for each call
 */
export async function recordChangedCredentials(tx: Writer, changeId: string, registryUrls: string[]): Promise<void> {
  for (const host of new Set(registryUrls.map((url) => hostOf(url)!))) {
    await tx
      .insertInto('changedCredentials')
      .values({ host, changeId })
      .onConflict((conflict) => conflict.column('host').doUpdateSet({ changeId }))
      .execute()
  }
}

/**
 * Ends a removal of the registry that Berth runs. Its record is deleted already, so the row goes too. The service stays
 * as it is, and the volume is kept: a new registry uses both. Returns the deployment of the removal, if there is one.
 */
export async function endRegistryRemoval(tx: Writer, now: Date): Promise<string[]> {
  const row = await serverOf(tx)
  if (row?.goal !== 'gone') return []
  await forgetServer(tx, row, now)
  return row.deploymentId === null ? [] : [row.deploymentId]
}

/** Deletes the row and keeps the volume with the pushed images for the next registry. */
export async function forgetServer(tx: Writer, { id, volumeId }: RegistryServerTable, now: Date): Promise<void> {
  await tx.deleteFrom('registryServer').where('id', '=', id).execute()
  if (volumeId !== null) await volumes.keep(tx, volumeId, now)
}
