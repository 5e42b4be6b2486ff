/** Statements on the allowed sources of gateways, and on what their nodes let them see. */
import { sql } from 'kysely'
import type { Protocol } from '../../engine/spec.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import { prepared, preparedInsert } from '../../store/prepared.ts'
import type { Reader, Writer } from '../../store/schema.ts'
import { type GatewayOwner, gatewayNameOf } from '../own-names.ts'
import { effectiveSources } from './admitted.ts'
import type { GatewaySourcesTable, Measurement } from './table.ts'

const rowOf = prepared((db, gateway: string, nodeId: string) =>
  db.selectFrom('gatewaySources').selectAll().where('gateway', '=', gateway).where('nodeId', '=', nodeId),
)

export async function findGateway(db: Reader, gateway: string, nodeId: string): Promise<GatewaySourcesTable | null> {
  const [row] = await rowOf(db, gateway, nodeId)
  return row ?? null
}

const insertGateway = preparedInsert('gatewaySources')

/**
 * Records a gateway before its service is created, so that its volume is removed even if a crash follows. Does nothing
 * if the gateway is recorded already.
 */
export async function recordGateway(tx: Writer, owner: GatewayOwner, nodeId: string): Promise<void> {
  const gateway = gatewayNameOf(owner)
  if ((await findGateway(tx, gateway, nodeId)) !== null) return
  await insertGateway(tx, {
    gateway,
    nodeId,
    ownerKind: owner.kind,
    ownerId: owner.id,
    taskId: null,
    appliedHash: null,
    enforcedSince: null,
    reason: toJson({ reason: 'SourcesPending' }),
    refused: 0,
    counter: 0,
    refusedSources: toJson([]),
  })
}

export async function updateGateway(
  tx: Writer,
  { gateway, nodeId }: Pick<GatewaySourcesTable, 'gateway' | 'nodeId'>,
  changes: Partial<Omit<GatewaySourcesTable, 'gateway' | 'nodeId' | 'ownerKind' | 'ownerId'>>,
): Promise<void> {
  await tx
    .updateTable('gatewaySources')
    .set(changes)
    .where('gateway', '=', gateway)
    .where('nodeId', '=', nodeId)
    .execute()
}

export async function forgetGateway(tx: Writer, gateway: string, nodeId: string): Promise<void> {
  await tx.deleteFrom('gatewaySources').where('gateway', '=', gateway).where('nodeId', '=', nodeId).execute()
}

const gatewaysOf = prepared((db, ownerKind: string, ownerId: string) =>
  db
    .selectFrom('gatewaySources')
    .selectAll()
    .where('ownerKind', '=', ownerKind as GatewayOwner['kind'])
    .where('ownerId', '=', ownerId),
)

/** The row of the owner's gateway that Berth has reached last; null if there is none. */
export async function gatewayOf(db: Reader, { kind, id }: GatewayOwner): Promise<GatewaySourcesTable | null> {
  const rows = await gatewaysOf(db, kind, id)
  return rows.find(({ taskId }) => taskId !== null) ?? rows[0] ?? null
}

const measurementsOf = prepared((db, nodeId: string) =>
  db.selectFrom('sourceMeasurement').selectAll().where('nodeId', '=', nodeId),
)

/** What was last measured on the node; null if nothing was. */
export async function measurementOf(
  db: Reader,
  nodeId: string,
): Promise<(Measurement & { measuredAt: string }) | null> {
  const [row] = await measurementsOf(db, nodeId)
  if (row === undefined) return null
  const { ipv4, ipv6, loopback, hiddenAddresses, measuredAt } = row
  return { ipv4, ipv6, loopback, hiddenAddresses: fromJson(hiddenAddresses), measuredAt }
}

export async function recordMeasurement(
  tx: Writer,
  nodeId: string,
  { hiddenAddresses, ...visibility }: Measurement,
  now: Date,
): Promise<void> {
  const values = { ...visibility, hiddenAddresses: toJson(hiddenAddresses), measuredAt: now.toISOString() }
  await tx
    .insertInto('sourceMeasurement')
    .values({ nodeId, ...values })
    .onConflict((conflict) => conflict.column('nodeId').doUpdateSet(values))
    .execute()
}

/** The lists that the store has for the owner of a gateway. */
export interface WantedSources {
  /** The canonical sources that apply. Empty: everyone. */
  sources: readonly string[]
  /** Whether the list is that of the project, because the database has none of its own. */
  isOfProject: boolean
  protocol: Protocol
  /** Whether the owner is being removed. A database has then left its project, and so the list of its project. */
  isLeaving: boolean
}

const listsOfDatabase = prepared((db, id: string) =>
  db
    .selectFrom('database')
    .leftJoin('project', 'project.id', 'database.projectId')
    .select(['database.allowedSources', 'database.goal', 'project.allowedSources as ofProject'])
    .where('database.id', '=', id),
)

const listsOfPort = prepared((db, id: string) =>
  db.selectFrom('port').select(['allowedSources', 'protocol']).where('id', '=', id),
)

/** @returns null if the owner does not exist any more, or is being removed: its gateway stays as it is */
export async function wantedSources(db: Reader, owner: GatewayOwner): Promise<WantedSources | null> {
  const stored = await storedSources(db, owner)
  return stored === null || stored.isLeaving ? null : stored
}

/** @returns null if the owner does not exist any more */
export async function storedSources(db: Reader, { kind, id }: GatewayOwner): Promise<WantedSources | null> {
  if (kind === 'port') {
    const [row] = await listsOfPort(db, id)
    if (row === undefined) return null
    return { sources: fromJson(row.allowedSources), isOfProject: false, protocol: row.protocol, isLeaving: false }
  }
  const [row] = await listsOfDatabase(db, id)
  if (row === undefined) return null
  const own = row.allowedSources === null ? null : fromJson(row.allowedSources)
  const ofProject = row.ofProject === null ? [] : fromJson(row.ofProject)
  const sources = effectiveSources(own, ofProject)
  return { sources, isOfProject: own === null, protocol: 'tcp', isLeaving: row.goal === 'gone' }
}

const allGateways = prepared((db) => db.selectFrom('gatewaySources').selectAll().orderBy('gateway'))
export const readGateways = (db: Reader): Promise<GatewaySourcesTable[]> => allGateways(db)

const anyGateway = prepared((db) => db.selectFrom('gatewaySources').select('gateway').limit(1))
const anyDatabase = prepared((db) =>
  db.selectFrom('database').select('id').where('externalPort', 'is not', null).limit(1),
)
const anyPort = prepared((db) => db.selectFrom('port').select('id').limit(1))

/** Whether there can be a gateway. */
export async function hasGateways(db: Reader): Promise<boolean> {
  for (const any of [anyGateway, anyDatabase, anyPort]) if ((await any(db)).length > 0) return true
  return false
}

/** The nodes with gateways of published ports: Berth's own node, once there is such a gateway. */
export const portNodes = prepared((db) =>
  db
    .selectFrom('gatewaySources')
    .leftJoin('node', 'node.id', 'gatewaySources.nodeId')
    .select(['gatewaySources.nodeId as id'])
    .select(({ fn }) => fn.coalesce('node.hostname', 'gatewaySources.nodeId').as('name'))
    .distinct()
    .where('ownerKind', '=', sql.lit('port' as const)),
)

const nodesWithId = prepared((db, id: string) => db.selectFrom('node').select('hostname').where('id', '=', id))

/** The host name of a node, for messages; its id if Berth does not know the node yet. */
export async function nodeNameOf(db: Reader, nodeId: string): Promise<string> {
  const [node] = await nodesWithId(db, nodeId)
  return node?.hostname || nodeId
}
