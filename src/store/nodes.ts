/** What the store knows of the cluster's nodes, and what cannot leave one: data lies there, or a port is held there. */
import { sql } from 'kysely'
import { prepared } from './prepared.ts'
import type { Reader, VolumeTable } from './schema.ts'

/** A volume, a published port, the proxy, or what is noted of a node itself. */
export interface Standing {
  of: 'volume' | 'port' | 'proxy' | 'node'
  /** Null: on the node of Berth's own engine. */
  nodeId: string | null
  /** Of the volume or the port; of a node, the removal under way. */
  id: string | null
  /** Of a volume the service that it belongs or belonged to, of a port the application, of a node its state. */
  name: string
  /** Of a volume its database, of a port its number and protocol; of a node when it was first seen so. */
  detail: string | null
  /** Of a removal: how far it has come, when it began, and whether it is forced. */
  reason: string | null
  startedAt: string | null
  force: number | null
}

/** All of it, by one statement. `proxyName`: of the proxy's service. */
export const readStanding = prepared((db, proxyName: string) => db.selectFrom(sql<Standing>`(
  select 'volume' as "of", "nodeId", "id", "appName" as "name", "databaseId" as "detail",
    null as "reason", null as "startedAt", null as "force" from "volume"
  union all
  select 'port', null, "id", "applicationId", cast("publishedPort" as text) || '/' || "protocol", null, null, null
    from "port"
  union all
  select 'proxy', null, "id", "name", null, null, null, null from "application"
    where "name" = ${proxyName} and "isOwn" = 1
  union all
  select 'node', "node"."id", "node"."deploymentId", "node"."state", "since", "reason", "startedAt", "force"
    from "node" left join "deployment" on "deployment"."id" = "node"."deploymentId")`.as('standing')).selectAll())

/** In a sentence: the database that it is of, or what is kept. */
export function nameOfVolume({ databaseId, name, appName, kind }: VolumeTable): string {
  return databaseId === null ? `the kept volume ${name} of ${appName}` : `${appName} (${kind})`
}

/** What lies on a node and would be lost with it: volumes, attached or kept. Oldest first. */
export function volumesOn(db: Reader, nodeId: string): Promise<VolumeTable[]> {
  return db.selectFrom('volume').selectAll().where('nodeId', '=', nodeId).orderBy('id').execute()
}

/** Nodes that are being removed: nothing new is put there. */
export async function leavingNodes(db: Reader): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('node').select('id').where('deploymentId', 'is not', null).execute()
  return new Set(rows.map(({ id }) => id))
}
