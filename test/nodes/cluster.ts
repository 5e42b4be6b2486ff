/** What the tests of the cluster share: nodes as they are answered, and databases that stand on a certain one. */
import type { NodePatch } from '../engine/memory/nodes.ts'
import { specOf } from '../samples.ts'
import type { Database, Fleet } from '../fixtures/fleet.ts'
import type { Input, Site } from '../fixtures/site.ts'

export interface NodeBody {
  id: string
  hostname: string
  role: string
  availability: string
  state: string
  since: string | null
  address: string
  engineVersion: string
  cpuCores: number
  memoryBytes: number
  labels: Record<string, string>
  leader: boolean
  reachable: boolean | null
  isOwn: boolean
  pinned: { type: string; id: string; name: string }[]
  removal: {
    deploymentId: string
    startedAt: string
    force: boolean
    reason: string | null
    reasonCode: string | null
  } | null
}

export const nodesOn = (site: Site) => site.ok<NodeBody[]>('cluster.getNodes')

/** A database that is up, with its volume on that node. */
export function pinTo(site: Site, fleet: Fleet, node: string, more: Input = {}): Promise<Database> {
  return seenNode(site, node).then(() => fleet.up({ ...more, node }))
}

/** Once Berth has noted it. */
export function seenNode(site: Site, node: string): Promise<NodeBody> {
  return site.until(
    `${node} to be seen`,
    async () => (await nodesOn(site)).find(({ id, since }) => id === node && since !== null) ?? null,
  )
}

/** What is left there of a database that was up. */
export async function kept(site: Site, fleet: Fleet, node: string): Promise<{ volumeId: string; appName: string }> {
  const up = await pinTo(site, fleet, node)
  await fleet.gone(up)
  const volumes = await site.ok<{ volumeId: string; name: string; appName: string }[]>('volume.all')
  return volumes.find(({ name }) => name === up.volume)!
}

export interface Removal {
  nodeId: string
  hostname: string
  deploymentId: string
  state: string
  reason: string | null
  reasonCode: string | null
  force: boolean
  lost: string[]
}

export interface Deployment {
  deploymentId: string
  nodeId: string | null
  serviceId: string | null
  action: string
  state: string
  phase: string
  reason: string | null
  reasonCode: string | null
  appName: string
}

export const begin = (site: Site, more: Input = {}) =>
  site.ok<Removal>('cluster.removeWorker', { nodeId: 'node2', ...more })
export const present = async (site: Site, id = 'node2') => (await nodesOn(site)).find((node) => node.id === id)

export const workOn = async (site: Site): Promise<Deployment> =>
  (await site.ok<Deployment[]>('deployment.all')).filter(({ action }) => action === 'removeNode').at(-1)!

/** `passMs`: so much of its clock passes at each look. */
export const ended = (site: Site, passMs = 0): Promise<Deployment> =>
  site.until('the end of the removal', async () => {
    site.pass(passMs)
    const work = await workOn(site)
    return work.state === 'running' ? null : work
  })

export const manager: NodePatch = { role: 'manager', manager: { leader: false, reachable: true } }

/** A service of no record of Berth's that runs on node2. */
export async function runThere(site: Site, name = 'theirs'): Promise<void> {
  await site.engine.createService(specOf({ name, nodeId: 'node2' }))
}
