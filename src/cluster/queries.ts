/** What the store knows of the cluster's nodes, and what cannot leave one: data lies there, or a port is held there. */
import { sql } from 'kysely'
import type { NodeTable } from './table.ts'
import { prepared } from '../store/prepared.ts'
import type { Reader, VolumeTable, Writer } from '../store/schema.ts'

/** What is pinned to a node, or noted of it: few columns, for there may be thousands. */
export interface Standing {
  /** A volume is one that is kept of a removed service. */
  of: 'database' | 'volume' | 'registry' | 'port' | 'proxy' | 'state' | 'removal' | 'forcedRemoval'
  /** Null: on the node of Berth's own engine. */
  nodeId: string | null
  /** Of the database, the volume, the port, or the removal under way. */
  id: string
  /** Of a service, of the application of a port; the state of a node; when its removal began. */
  name: string
  /** Number and protocol of a port; when a state was first seen; the reason of a removal, as stored. */
  detail: string | null
}

/** All of it, by one statement. `proxyName`: of the proxy's service. */
export const readStanding = prepared((db, proxyName: string) =>
  db
    .selectFrom(
      sql<Standing>`(
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
    "reason" from "node" inner join "deployment" on "deployment"."id" = "node"."deploymentId")`.as('standing'),
    )
    .selectAll(),
)

/** In a sentence: the database that it is of, the registry, or what is kept. */
export function nameOfVolume(volume: VolumeTable): string {
  const { ownerId, name, appName, kind } = volume
  if (ownerId === null) return `the kept volume ${name} of ${appName}`
  return isOfDatabase(volume) ? `${appName} (${kind})` : 'the registry'
}

/** Whether the data is in use by a database. */
export const isOfDatabase = ({ ownerKind, ownerId }: VolumeTable): boolean =>
  ownerKind === 'database' && ownerId !== null

/** What lies on a node and would be lost with it: volumes, attached or kept. Oldest first. */
export function volumesOn(db: Reader, nodeId: string): Promise<VolumeTable[]> {
  return db.selectFrom('volume').selectAll().where('nodeId', '=', nodeId).orderBy('id').execute()
}

/** Nodes that are being removed: nothing new is put there. */
export async function leavingNodes(db: Reader): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('node').select('id').where('deploymentId', 'is not', null).execute()
  return new Set(rows.map(({ id }) => id))
}

type Seen = Pick<NodeTable, 'id' | 'hostname' | 'state' | 'since'>
type Removal = Pick<NodeTable, 'deploymentId' | 'force' | 'availability'>

const noRemoval = { deploymentId: null, force: 0, availability: '' } as const

/** Records the state of a node. A removal that is under way goes on. */
export async function recordNode(tx: Writer, node: Seen): Promise<void> {
  const { id: _, ...seen } = node
  await upsertNode(tx, { ...node, ...noRemoval }, seen)
}

/** Records that a node is being removed, which may not have been seen before. */
export async function beginNodeRemoval(tx: Writer, node: Seen, removal: Removal): Promise<void> {
  await upsertNode(tx, { ...node, ...removal }, removal)
}

async function upsertNode(tx: Writer, row: NodeTable, changes: Partial<NodeTable>): Promise<void> {
  await tx
    .insertInto('node')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changes))
    .execute()
}

/** The node stays in the swarm after all. */
export async function endNodeRemoval(tx: Writer, id: string): Promise<void> {
  await tx.updateTable('node').set(noRemoval).where('id', '=', id).execute()
}

export async function deleteNode(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom('node').where('id', '=', id).execute()
}
