/**
 * Reads the rules that the proxy is configured from, and seals and opens their secrets. Also reads and writes why the
 * proxy does not serve.
 */
import type { PortReason } from '../deployments/reason.ts'
import { toJson } from '../lib/json.ts'
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

/** Takes back all removals of published ports. Returns the deployments of these removals. */
export async function keepPortsInRemoval(tx: Writer): Promise<string[]> {
  const rows = await tx.selectFrom('port').select('deploymentId').where('goal', '=', 'gone').execute()
  const reason = toJson<PortReason>({ reason: 'GatewayCreating' })
  const kept = { goal: 'published', applied: 0, reason, deploymentId: null } as const
  await tx.updateTable('port').set(kept).where('goal', '=', 'gone').execute()
  return rows.flatMap(({ deploymentId }) => deploymentId ?? [])
}
