/** The statements on the tables of TLS. Only this file seals and opens the keys of certificates. */
import type { TlsMode } from '../../kinds/kind.ts'
import { toJson } from '../../lib/json.ts'
import type { Reader, Writer } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'
import type { IssuedCertificate } from '../../authority/x509.ts'
import type { CertificateState, DatabaseCertificateTable, DatabaseTlsTable, TlsVolumeTable } from './table.ts'

const keyCell = (databaseId: string, fingerprint: string) => ({
  table: 'databaseCertificate',
  column: 'key',
  row: JSON.stringify([databaseId, fingerprint]),
})

export const openKey = (vault: Vault, { databaseId, fingerprint, key }: DatabaseCertificateTable): string =>
  vault.open(keyCell(databaseId, fingerprint), key)

export async function findCertificate(
  db: Reader,
  databaseId: string,
  state: CertificateState,
): Promise<DatabaseCertificateTable | null> {
  const row = await db
    .selectFrom('databaseCertificate')
    .selectAll()
    .where('databaseId', '=', databaseId)
    .where('state', '=', state)
    .executeTakeFirst()
  return row ?? null
}

/** A certificate that Berth has issued and not stored yet. */
export interface NewCertificate extends IssuedCertificate {
  generation: number
  names: readonly string[]
}

/** Stores a certificate in place of that in the same state. */
export async function storeCertificate(
  tx: Writer,
  vault: Vault,
  databaseId: string,
  state: CertificateState,
  { fingerprint, generation, names, certificatePem, keyPem, notBefore, notAfter }: NewCertificate,
  now: Date,
): Promise<void> {
  await deleteCertificate(tx, databaseId, state)
  await tx
    .insertInto('databaseCertificate')
    .values({
      databaseId,
      fingerprint,
      state,
      generation,
      names: toJson(names),
      certificatePem,
      key: vault.seal(keyCell(databaseId, fingerprint), keyPem),
      notBefore: notBefore.toISOString(),
      notAfter: notAfter.toISOString(),
      createdAt: now.toISOString(),
    })
    .execute()
}

export async function deleteCertificate(tx: Writer, databaseId: string, state: CertificateState): Promise<void> {
  await tx.deleteFrom('databaseCertificate').where('databaseId', '=', databaseId).where('state', '=', state).execute()
}

/** Makes the next certificate the current one, if it still is this one. */
export async function promoteCertificate(tx: Writer, databaseId: string, fingerprint: string): Promise<boolean> {
  const next = await findCertificate(tx, databaseId, 'next')
  if (next?.fingerprint !== fingerprint) return false
  await deleteCertificate(tx, databaseId, 'current')
  await tx
    .updateTable('databaseCertificate')
    .set({ state: 'current' })
    .where('databaseId', '=', databaseId)
    .where('fingerprint', '=', fingerprint)
    .execute()
  return true
}

export async function findTls(db: Reader, databaseId: string): Promise<DatabaseTlsTable | null> {
  const row = await db.selectFrom('databaseTls').selectAll().where('databaseId', '=', databaseId).executeTakeFirst()
  return row ?? null
}

const unknown = {
  servedFingerprint: null,
  servedSince: null,
  waitsForDeploy: 0,
  reason: null,
  nextTryAt: null,
  plainConnections: null,
  plainCountedAt: null,
} as const

/** Records that a server starts with this mode. What was known of an earlier server is forgotten. */
export async function recordStart(tx: Writer, databaseId: string, mode: TlsMode): Promise<void> {
  await tx
    .insertInto('databaseTls')
    .values({ databaseId, mode, isRequired: 0, ...unknown })
    .onConflict((conflict) => conflict.column('databaseId').doUpdateSet({ mode, ...unknown }))
    .execute()
}

export async function updateTls(tx: Writer, databaseId: string, patch: Partial<DatabaseTlsTable>): Promise<void> {
  await tx.updateTable('databaseTls').set(patch).where('databaseId', '=', databaseId).execute()
}

/** Forgets which certificate the server presents, because another container runs: the loop compares it again. */
export const forgetServed = (tx: Writer, databaseId: string): Promise<void> =>
  updateTls(tx, databaseId, { servedFingerprint: null, servedSince: null })

/**
 * Forgets what was known of the servers and of their volumes, because the store is older than they are: the loop writes
 * the certificates again, and applies the mode again, which takes back what a later `require` may have changed.
 */
export async function forgetObservedTls(tx: Writer): Promise<void> {
  await tx.updateTable('databaseTls').set({ isRequired: 1, servedFingerprint: null, servedSince: null }).execute()
  await tx.updateTable('tlsVolume').set({ digest: null }).execute()
}

/** Deletes what Berth knows of the TLS of a database: it was removed, or runs without TLS. */
export async function forgetTls(tx: Writer, databaseId: string): Promise<void> {
  await tx.deleteFrom('databaseCertificate').where('databaseId', '=', databaseId).execute()
  await tx.deleteFrom('databaseTls').where('databaseId', '=', databaseId).execute()
}

export async function findTlsVolume(db: Reader, name: string): Promise<TlsVolumeTable | null> {
  const row = await db.selectFrom('tlsVolume').selectAll().where('name', '=', name).executeTakeFirst()
  return row ?? null
}

/** Records a volume before its files are written. Its content is unknown from then on. */
export async function recordTlsVolume(
  tx: Writer,
  { name, volumeId, nodeId }: Pick<TlsVolumeTable, 'name' | 'volumeId' | 'nodeId'>,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('tlsVolume')
    .values({ name, volumeId, nodeId, digest: null, createdAt: now.toISOString() })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ digest: null, nodeId }))
    .execute()
}

export async function recordDigest(tx: Writer, name: string, digest: string | null): Promise<void> {
  await tx.updateTable('tlsVolume').set({ digest }).where('name', '=', name).execute()
}

export async function deleteTlsVolume(tx: Writer, name: string): Promise<void> {
  await tx.deleteFrom('tlsVolume').where('name', '=', name).execute()
}

/** Returns the volumes whose data belongs to no database with a certificate, to no move, and to no backup run. */
export const unusedTlsVolumes = (db: Reader): Promise<TlsVolumeTable[]> => unusedVolumes(db).execute()

/** Whether the volume is still one of `unusedTlsVolumes`. */
export const isUnusedTlsVolume = async (db: Reader, name: string): Promise<boolean> =>
  (await unusedVolumes(db).where('name', '=', name).executeTakeFirst()) !== undefined

function unusedVolumes(db: Reader) {
  return db
    .selectFrom('tlsVolume')
    .selectAll()
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('database')
            .innerJoin('databaseTls', 'databaseTls.databaseId', 'database.id')
            .select('database.id')
            .whereRef('database.volumeId', '=', 'tlsVolume.volumeId'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('move').select('databaseId').whereRef('move.volumeId', '=', 'tlsVolume.volumeId'))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('backupRun')
            .select('id')
            .whereRef('backupRun.id', '=', 'tlsVolume.volumeId')
            .where('status', 'in', ['waiting', 'running']),
        ),
      ),
    )
}

/** Returns the ids of the databases with TLS that run, even if they refuse logins, and have no deployment in progress. */
export function tlsDatabases(db: Reader): Promise<Pick<DatabaseTlsTable, 'databaseId'>[]> {
  return db
    .selectFrom('databaseTls')
    .innerJoin('database', 'database.id', 'databaseTls.databaseId')
    .select('databaseTls.databaseId')
    .where('database.goal', '=', 'up')
    .where('database.observed', 'in', ['up', 'unproven'])
    .where('database.deploymentId', 'is', null)
    .execute()
}

/** Whether the server of a database needs a deploy to take its new certificate. */
export async function isWaitingForDeploy(db: Reader, databaseId: string): Promise<boolean> {
  return (await findTls(db, databaseId))?.waitsForDeploy === 1
}
