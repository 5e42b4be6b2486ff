/** The rules that the proxy is configured from, and what of them is sealed. */
import { deleteMeta, setMeta } from '../store/meta.ts'
import { prepared } from '../store/prepared.ts'
import type { ApplicationTable, CertificateTable, RedirectTable, SecurityTable } from './table.ts'
import type { Reader, Writer } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'

/** All that the proxy serves, in the order of creation; of applications, the oldest first. */
export interface Rules {
  applications: ApplicationTable[]
  redirects: RedirectTable[]
  users: SecurityTable[]
  certificates: CertificateTable[]
}

/** PEM. */
export interface Pair {
  chain: string
  key: string
}

/** Of all services, the oldest first. */
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
  }
}

const placeOfHash = (row: string) => ({ table: 'security', column: 'passwordHash', row })
const placeOfPairs = (row: string) => ({ table: 'certificate', column: 'pairs', row })

export const sealHash = (vault: Vault, id: string, hash: string): string => vault.seal(placeOfHash(id), hash)
export const openHash = (vault: Vault, { id, passwordHash }: SecurityTable): string =>
  vault.open(placeOfHash(id), passwordHash)

export const sealPairs = (vault: Vault, id: string, pairs: Pair[]): string =>
  vault.seal(placeOfPairs(id), JSON.stringify(pairs))
export const openPairs = (vault: Vault, { id, pairs }: Pick<CertificateTable, 'id' | 'pairs'>): Pair[] =>
  JSON.parse(vault.open(placeOfPairs(id), pairs)) as Pair[]

const faultKey = 'proxyFault'

/** Why the proxy does not serve, as it was last seen; null where it does. */
export async function proxyFaultOf(db: Reader): Promise<string | null> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', faultKey).executeTakeFirst()
  return row?.value ?? null
}

export async function writeProxyFault(tx: Writer, fault: string | null): Promise<void> {
  if (fault === null) await deleteMeta(tx, faultKey)
  else await setMeta(tx, faultKey, fault)
}
