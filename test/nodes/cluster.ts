/** Shared by the tests of nodes: nodes as the API returns them, databases on a given node, and removals of nodes. */
import type { NodePatch } from '../engine/memory/nodes.ts'
import { specOf } from '../fixtures/samples.ts'
import type { Database, DatabaseClients } from '../fixtures/database-clients.ts'
import type { Input, TestBerth } from '../fixtures/test-berth.ts'

export interface NodeBody {
  reserved: { databases: number; memoryBytes: number; cpuCores: number }
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
  returned: { nodeId: string; hostname: string; volumes: number }[]
  removal: {
    deploymentId: string
    startedAt: string
    force: boolean
    reason: string | null
    reasonCode: string | null
  } | null
}

export const readNodes = (testBerth: TestBerth) => testBerth.ok<NodeBody[]>('cluster.getNodes')

/** Creates a running database with its volume on the node. */
export function pinTo(
  testBerth: TestBerth,
  databaseClients: DatabaseClients,
  node: string,
  more: Input = {},
): Promise<Database> {
  return waitForNode(testBerth, node).then(() => databaseClients.createDeployed({ ...more, node }))
}

/** Waits until Berth has recorded the state of the node, and returns the node. */
export function waitForNode(testBerth: TestBerth, node: string): Promise<NodeBody> {
  return testBerth.until(
    `${node} to be recorded`,
    async () => (await readNodes(testBerth)).find(({ id, since }) => id === node && since !== null) ?? null,
  )
}

/** Creates a database on the node, removes it and returns the volume that is kept. */
export async function createKeptVolume(
  testBerth: TestBerth,
  databaseClients: DatabaseClients,
  node: string,
): Promise<{ volumeId: string; appName: string }> {
  const up = await pinTo(testBerth, databaseClients, node)
  await databaseClients.remove(up)
  const volumes = await testBerth.ok<{ volumeId: string; name: string; appName: string }[]>('volume.all')
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

export const beginRemoval = (testBerth: TestBerth, more: Input = {}) =>
  testBerth.ok<Removal>('cluster.removeWorker', { nodeId: 'node2', ...more })
export const readNode = async (testBerth: TestBerth, id = 'node2') =>
  (await readNodes(testBerth)).find((node) => node.id === id)

/** Returns the deployment of the last removal. */
export const readDeployment = async (testBerth: TestBerth): Promise<Deployment> =>
  (await testBerth.ok<Deployment[]>('deployment.all')).filter(({ action }) => action === 'removeNode').at(-1)!

/**
 * Waits until the removal of a node has ended, and returns its deployment.
 * @param passMs the time by which the clock moves forward at each poll, in ms
 */
export const untilRemovalEnds = (testBerth: TestBerth, passMs = 0): Promise<Deployment> =>
  testBerth.until('the end of the removal', async () => {
    testBerth.pass(passMs)
    const deployment = await readDeployment(testBerth)
    return deployment.state === 'running' ? null : deployment
  })

export const manager: NodePatch = { role: 'manager', manager: { leader: false, reachable: true } }

/** Starts the service `foreign` on node2. Berth has no record of this service. */
export async function runForeignService(testBerth: TestBerth): Promise<void> {
  await testBerth.engine.createService(specOf({ name: 'foreign', nodeId: 'node2' }))
}
