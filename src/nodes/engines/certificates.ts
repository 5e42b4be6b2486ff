/** Creates and renews the certificates of the engine ports, and Berth's client certificates for them. */
import { X509Certificate } from 'node:crypto'
import { currentOf, issueCertificate } from '../../authority/issue.ts'
import { generationsOf } from '../../authority/queries.ts'
import type { FoundNode } from '../../engine/node.ts'
import type { Runtime } from '../../runtime.ts'
import type { Reader } from '../../store/schema.ts'
import { isRenewalDue, type Signing, validDays } from './plan.ts'
import { insertAccess, moveEngine, putEngine, readAccess } from './queries.ts'
import { engineServerName } from './spec.ts'
import type { NodeEngineTable } from './table.ts'

type Issuer = Pick<Runtime, 'db' | 'vault' | 'now'>

export const issueAccess = (issuer: Issuer) =>
  issueCertificate(issuer, 'engines', { commonName: 'berth', use: 'client', validDays })

export const signingGeneration = async (db: Reader): Promise<Signing> => currentOf(await generationsOf(db, 'engines'))

const isDue = (
  { generation, notAfter, certificatePem }: Pick<NodeEngineTable, 'generation' | 'notAfter' | 'certificatePem'>,
  signing: Signing,
  now: Date,
): boolean => {
  const { validFromDate: notBefore } = new X509Certificate(certificatePem)
  return isRenewalDue({ generation, notBefore, notAfter }, signing, now)
}

/** Creates Berth's first client certificate. Begins a rotation if the present one has to be renewed. */
export async function ensureAccess(runtime: Runtime, signing: Signing): Promise<void> {
  const { db, transact, vault, now, log } = runtime
  const access = await readAccess(db)
  const current = access.find(({ state }) => state === 'current')
  if (current !== undefined && !isDue(current, signing, now())) return
  if (current !== undefined && access.length > 1) return
  const issued = await issueAccess(runtime)
  const isStored = await transact(async (tx) => {
    // A call may have begun a rotation in the meantime.
    if ((await readAccess(tx)).length !== access.length) return false
    await insertAccess(tx, vault, current === undefined ? 'current' : 'next', issued, now())
    return true
  })
  if (isStored) log.info("Berth's certificate for the engines of nodes was issued", { fingerprint: issued.fingerprint })
}

/** Creates the row of a node's port, renews its certificate, or records the node's present name and address. */
export async function ensureEngine(
  runtime: Runtime,
  node: FoundNode,
  row: NodeEngineTable | undefined,
  signing: Signing,
): Promise<void> {
  const { transact, vault, now, config } = runtime
  const place = { nodeId: node.id, hostname: node.hostname, address: node.address, port: config.enginePort }
  if (row === undefined || isDue(row, signing, now())) {
    const name = engineServerName(node.id)
    const request = { commonName: name, use: 'server', dnsNames: [name], validDays } as const
    const issued = await issueCertificate(runtime, 'engines', request)
    await transact((tx) => putEngine(tx, vault, place, issued, now()))
  }
  const isMoved =
    row !== undefined && (row.hostname !== place.hostname || row.address !== place.address || row.port !== place.port)
  if (isMoved) await transact((tx) => moveEngine(tx, place))
}
