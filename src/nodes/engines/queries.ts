/** The statements on the tables of engine ports. Only this file seals and opens their keys. */
import type { IssuedCertificate } from '../../authority/x509.ts'
import { toJson } from '../../lib/json.ts'
import type { Reader, Writer } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'
import type { NodeEngineReason } from './reason.ts'
import type { AccessState, EngineAccessTable, EngineState, NodeEngineTable } from './table.ts'

type Issued = IssuedCertificate & { generation: number }

const accessCell = (fingerprint: string) => ({ table: 'engineAccess', column: 'key', row: fingerprint })
const engineCell = (nodeId: string) => ({ table: 'nodeEngine', column: 'key', row: nodeId })

/** Berth's client certificates, oldest first. */
export function readAccess(db: Reader): Promise<EngineAccessTable[]> {
  return db.selectFrom('engineAccess').selectAll().orderBy('createdAt').orderBy('fingerprint').execute()
}

export function openAccessKey(vault: Vault, { fingerprint, key }: EngineAccessTable): string {
  if (key === null) throw new Error(`Berth does not use the client certificate ${fingerprint} any more`)
  return vault.open(accessCell(fingerprint), key)
}

export async function insertAccess(
  tx: Writer,
  vault: Vault,
  state: AccessState,
  { fingerprint, certificatePem, keyPem, generation, notAfter }: Issued,
  now: Date,
): Promise<void> {
  const key = vault.seal(accessCell(fingerprint), keyPem)
  const times = { notAfter: notAfter.toISOString(), createdAt: now.toISOString() }
  await tx
    .insertInto('engineAccess')
    .values({ fingerprint, state, certificatePem, key, generation, ...times })
    .execute()
}

/** Berth stops to connect with these certificates. Their keys are deleted. */
export async function retireAccess(
  tx: Writer,
  fingerprints: readonly string[],
  state: 'previous' | 'revoked',
): Promise<void> {
  await tx.updateTable('engineAccess').set({ state, key: null }).where('fingerprint', 'in', fingerprints).execute()
}

/** The certificate `next` becomes `current`. */
export async function switchAccess(tx: Writer): Promise<void> {
  const current = await tx.selectFrom('engineAccess').select('fingerprint').where('state', '=', 'current').execute()
  await retireAccess(
    tx,
    current.map(({ fingerprint }) => fingerprint),
    'previous',
  )
  await tx.updateTable('engineAccess').set({ state: 'current' }).where('state', '=', 'next').execute()
}

/** Deletes the certificates that no node accepts any more. */
export async function deleteOldAccess(tx: Writer): Promise<void> {
  await tx.deleteFrom('engineAccess').where('state', 'in', ['previous', 'revoked']).execute()
}

/** The ports of all nodes that have one, by the id of the node. */
export async function readEngines(db: Reader): Promise<Map<string, NodeEngineTable>> {
  const rows = await db.selectFrom('nodeEngine').selectAll().orderBy('nodeId').execute()
  return new Map(rows.map((row) => [row.nodeId, row]))
}

export const openEngineKey = (vault: Vault, { nodeId, key }: NodeEngineTable): string =>
  vault.open(engineCell(nodeId), key)

/** Stores a node's port, or its new certificate. */
export async function putEngine(
  tx: Writer,
  vault: Vault,
  node: Pick<NodeEngineTable, 'nodeId' | 'hostname' | 'address' | 'port'>,
  { certificatePem, keyPem, generation, notAfter }: Omit<Issued, 'fingerprint'>,
  now: Date,
): Promise<void> {
  const key = vault.seal(engineCell(node.nodeId), keyPem)
  const certificate = { certificatePem, key, generation, notAfter: notAfter.toISOString() }
  const state = { state: 'starting', reason: null, since: now.toISOString(), fingerprints: '', digest: '' } as const
  await tx
    .insertInto('nodeEngine')
    .values({ ...node, ...state, ...certificate })
    .onConflict((conflict) => conflict.column('nodeId').doUpdateSet(certificate))
    .execute()
}

/** Records that a node has another name or address. */
export async function moveEngine(
  tx: Writer,
  { nodeId, ...columns }: Pick<NodeEngineTable, 'nodeId' | 'hostname' | 'address' | 'port'>,
): Promise<void> {
  await tx.updateTable('nodeEngine').set(columns).where('nodeId', '=', nodeId).execute()
}

/** Records the specification that the service of the port has. */
export async function recordService(
  tx: Writer,
  nodeId: string,
  service: Pick<NodeEngineTable, 'fingerprints' | 'digest'>,
): Promise<void> {
  await tx.updateTable('nodeEngine').set(service).where('nodeId', '=', nodeId).execute()
}

/** Records the state of a port. `since` changes only with the state. */
export async function recordEngineState(
  tx: Writer,
  nodeId: string,
  state: EngineState,
  reason: NodeEngineReason | null,
  now: Date,
): Promise<void> {
  const before = await tx.selectFrom('nodeEngine').select('state').where('nodeId', '=', nodeId).executeTakeFirst()
  const since = before?.state === state ? {} : { since: now.toISOString() }
  await tx
    .updateTable('nodeEngine')
    .set({ state, reason: reason && toJson(reason), ...since })
    .where('nodeId', '=', nodeId)
    .execute()
}

export async function deleteEngine(tx: Writer, nodeId: string): Promise<void> {
  await tx.deleteFrom('nodeEngine').where('nodeId', '=', nodeId).execute()
}

/** The nodes on which a run of a backup or a move uses the engine now. */
export async function busyNodes(db: Reader): Promise<Set<string>> {
  const runs = await db
    .selectFrom('backupRun')
    .innerJoin('database', 'database.id', 'backupRun.databaseId')
    .innerJoin('volume', 'volume.id', 'database.volumeId')
    .select('volume.nodeId')
    .where('backupRun.finishedAt', 'is', null)
    .where('backupRun.status', '=', 'running')
    .execute()
  const moves = await db
    .selectFrom('move')
    .innerJoin('database', 'database.id', 'move.databaseId')
    .leftJoin('volume', 'volume.id', 'database.volumeId')
    .select(['move.nodeId as newNodeId', 'volume.nodeId'])
    .execute()
  return new Set(
    [...runs, ...moves.flatMap(({ nodeId, newNodeId }) => [{ nodeId }, { nodeId: newNodeId }])].flatMap(
      ({ nodeId }) => nodeId ?? [],
    ),
  )
}
