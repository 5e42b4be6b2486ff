/** Reads what the drain of a node ends: routes of applications through Berth's own node, and work in progress. */
import type { ClusterChanges } from '../../cluster/changes.ts'
import type { Config } from '../../config.ts'
import type { NodeWork } from '../../deployments/reason.ts'
import type { FoundNode } from '../../engine/node.ts'
import { hostsOf } from '../../routing/application-lookup.ts'
import { readApplications } from '../../routing/queries.ts'
import type { Reader } from '../../store/schema.ts'
import { workOn } from './work.ts'

export interface DrainLosses {
  /** The host names that the proxy serves on the node. */
  hosts: string[]
  /** The published ports that are open on the node, such as `8080/tcp`. */
  ports: string[]
  work: NodeWork[]
}

interface LossReader {
  db: Reader
  cluster: Pick<ClusterChanges, 'attachedJobs'>
  config: Pick<Config, 'proxy'>
}

export async function drainLosses({ db, cluster, config }: LossReader, node: FoundNode): Promise<DrainLosses> {
  const work = await workOn(db, node.id, await cluster.attachedJobs(node.id))
  if (!node.local) return { hosts: [], ports: [], work }
  // A proxy that runs as processes of this machine survives the drain.
  const isServed = config.proxy === 'service'
  const applications = isServed ? await readApplications(db) : []
  const ports = await db.selectFrom('port').select(['publishedPort', 'protocol']).orderBy('publishedPort').execute()
  return {
    hosts: [...hostsOf(applications).values()].flat().sort(),
    ports: ports.map(({ publishedPort, protocol }) => `${publishedPort}/${protocol}`),
    work,
  }
}
