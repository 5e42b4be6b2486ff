/** Reads and records the nodes of the cluster and their removals; reads the volumes, ports and proxy on nodes. */
import { sql } from 'kysely'
import type { NodeTable } from './table.ts'
import { prepared } from '../store/prepared.ts'
import type { Reader, VolumeTable, Writer } from '../store/schema.ts'

/**
 * A volume, port or proxy on a node, the node's recorded state, or its removal. Has few columns, because there may be
 * thousands of rows.
 */
export interface NodeEntry {
  /**
   * The kind of the entry. `database` and `registry`: the volume of a service. `volume`: a kept volume. `found`: a volume
   * of another node that was found on this one.
   */
  of: 'database' | 'volume' | 'registry' | 'port' | 'proxy' | 'state' | 'removal' | 'forcedRemoval' | 'found'
  /** Null for a port or the proxy: they are on the node of Berth's own engine. */
  nodeId: string | null
  /**
   * The id of the database, volume, port, proxy service or node, or of the removal's deployment. For `found`: of the
   * other node.
   */
  id: string
  /**
   * The name of a service, the id of a port's application, the state of a node, the time at which a removal began, or
   * the host name of the other node.
   */
  name: string
  /**
   * For a port: number and protocol. For a state: when it was first observed. For a removal: the stored reason. For
   * `found`: the number of volumes. Otherwise null.
   */
  detail: string | null
}

/** All entries, in one statement. `proxyName` is the name of the proxy's service. */
export const readNodeEntries = prepared((db, proxyName: string) =>
  db
    .selectFrom(
      sql<NodeEntry>`(
  select case "state" when 'attached' then "ownerKind" else 'volume' end as "of", "nodeId",
    case when "state" = 'attached' and "ownerKind" = 'database' then "ownerId" else "id" end as "id",
    "appName" as "name", null as "detail" from "volume"
  union all
  select 'port', null, "id", "applicationId", cast("publishedPort" as text) || '/' || "protocol" from "port"
  union all
  select 'proxy', null, "id", "name", null from "application" where "name" = ${proxyName} and "isOwn" = 1
  union all
  select 'state', "id", "id", "state", "since" from "node"
  union all
  select case "force" when 1 then 'forcedRemoval' else 'removal' end, "node"."id", "deployment"."id", "startedAt",
    "reason" from "node" inner join "deployment" on "deployment"."id" = "node"."deploymentId"
  union all
  select 'found', "foundNodeId", "nodeId", "nodeName", cast(count(*) as text) from "volume"
    where "foundNodeId" is not null group by "foundNodeId", "nodeId", "nodeName")`.as('entries'),
    )
    .selectAll(),
)

/** Returns how a message names a volume: by its database, as `the registry`, or as a kept volume. */
export function nameOfVolume(volume: VolumeTable): string {
  const { ownerId, name, appName, kind } = volume
  if (ownerId === null) return `the kept volume ${name} of ${appName}`
  return isOfDatabase(volume) ? `${appName} (${kind})` : 'the registry'
}

/** Whether the volume is attached to a database. */
export const isOfDatabase = ({ ownerKind, ownerId }: VolumeTable): boolean =>
  ownerKind === 'database' && ownerId !== null

/** The volumes on a node, attached or kept, oldest first. */
export function volumesOn(db: Reader, nodeId: string): Promise<VolumeTable[]> {
  return db.selectFrom('volume').selectAll().where('nodeId', '=', nodeId).orderBy('id').execute()
}

/** The ids of nodes that are being removed. Berth places no new volumes there. */
export async function leavingNodes(db: Reader): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('node').select('id').where('deploymentId', 'is not', null).execute()
  return new Set(rows.map(({ id }) => id))
}

type Observation = Pick<NodeTable, 'id' | 'hostname' | 'state' | 'since'>
type Removal = Pick<NodeTable, 'deploymentId' | 'force' | 'availability'>

const noRemoval = { deploymentId: null, force: 0, availability: '' } as const

/** Records the state of a node. Does not change a removal in progress. */
export async function recordNode(tx: Writer, node: Observation): Promise<void> {
  const { id: _, ...observation } = node
  await upsertNode(tx, { ...node, ...noRemoval }, observation)
}

/** Records that a node is being removed. If the node was never observed before, stores `node` too. */
export async function beginNodeRemoval(tx: Writer, node: Observation, removal: Removal): Promise<void> {
  await upsertNode(tx, { ...node, ...removal }, removal)
}

async function upsertNode(tx: Writer, row: NodeTable, changes: Partial<NodeTable>): Promise<void> {
  await tx
    .insertInto('node')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changes))
    .execute()
}

/** Clears the removal of a node that stays in the swarm. */
export async function endNodeRemoval(tx: Writer, id: string): Promise<void> {
  await tx.updateTable('node').set(noRemoval).where('id', '=', id).execute()
}

export async function deleteNode(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom('node').where('id', '=', id).execute()
}
