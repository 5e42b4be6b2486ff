/**
 * Reads the rules that the proxy is configured from, and seals and opens their secrets. Also reads and writes why the
 * proxy does not serve.
 */
import { sealedOwnCertificate } from '../authority/own-certificate.ts'
import { deleteMeta, setMeta } from '../store/meta.ts'
import { prepared } from '../store/prepared.ts'
import type { ApplicationTable, CertificateTable, RedirectTable, SecurityTable } from './table.ts'
import type { Reader, Writer } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'

/** The rows that the proxy is configured from: certificates in the order of their ids, the others oldest first. */
export interface Rules {
  applications: ApplicationTable[]
  redirects: RedirectTable[]
  users: SecurityTable[]
  certificates: CertificateTable[]
  /** The certificate of Berth itself from the authority `installation`, sealed; null if there is none. */
  ownCertificate: string | null
}

/** A certificate and its private key, in PEM. */
export interface Pair {
  /** The certificate itself, then its issuers. */
  chain: string
  key: string
}

/** Reads the recorded services of the swarm, oldest first. */
export const readApplications = prepared((db) =>
  db.selectFrom('application').selectAll().orderBy('createdAt').orderBy('id'),
)
const redirects = prepared((db) => db.selectFrom('redirect').selectAll().orderBy('id'))
const users = prepared((db) => db.selectFrom('security').selectAll().orderBy('id'))
const certificates = prepared((db) => db.selectFrom('certificate').selectAll().orderBy('id'))

export async function readRules(db: Reader): Promise<Rules> {
  return {
    applications: await readApplications(db),
    redirects: await redirects(db),
    users: await users(db),
    certificates: await certificates(db),
    ownCertificate: await sealedOwnCertificate(db),
  }
}

const hashColumn = (row: string) => ({ table: 'security', column: 'passwordHash', row })
const pairsColumn = (row: string) => ({ table: 'certificate', column: 'pairs', row })

export const sealHash = (vault: Vault, id: string, hash: string): string => vault.seal(hashColumn(id), hash)
export const openHash = (vault: Vault, { id, passwordHash }: SecurityTable): string =>
  vault.open(hashColumn(id), passwordHash)

export const sealPairs = (vault: Vault, id: string, pairs: Pair[]): string =>
  vault.seal(pairsColumn(id), JSON.stringify(pairs))
export const openPairs = (vault: Vault, { id, pairs }: Pick<CertificateTable, 'id' | 'pairs'>): Pair[] =>
  JSON.parse(vault.open(pairsColumn(id), pairs)) as Pair[]

const faultKey = 'proxyFault'

/** Returns why the proxy did not serve at Berth's last check, or null if it served. */
export async function proxyFaultOf(db: Reader): Promise<string | null> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', faultKey).executeTakeFirst()
  return row?.value ?? null
}

export async function writeProxyFault(tx: Writer, fault: string | null): Promise<void> {
  if (fault === null) await deleteMeta(tx, faultKey)
  else await setMeta(tx, faultKey, fault)
}
