/** Implements NodeEngine (engine/node.ts) with Docker's API: nodes, their tasks, join tokens, changes and removal. */
import type { ApiInfo, ApiNode, ApiNodeSpec, ApiService, ApiSwarm, ApiTask } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import { isMissing, isOutOfSequence } from '../transport/errors.ts'
import { hasEnded, newestFirst, taskFrom } from '../services/from-api.ts'
import type { OwnNodeId } from './own-node.ts'
import { retryOnRace } from '../services/services.ts'
import type { FoundTask } from '../../engine.ts'
import type { Availability, FoundNode, JoinParameters, NodeChange, NodeEngine, NodeRole } from '../../node.ts'

/** The maximum number of ids in a query. If there are more, the query has no filter and returns all services. */
const maxIds = 500
const states = new Set(['unknown', 'down', 'ready', 'disconnected'])

export function dockerNodes(
  client: DockerClient,
  ownNodeId: OwnNodeId,
  scope: { networkName: string },
): Omit<NodeEngine, 'pingNode'> {
  return {
    nodes: async () => {
      const [nodes, localId] = await Promise.all([client.call<ApiNode[]>({ path: '/nodes' }), ownNodeId()])
      return nodes.map((node) => nodeFrom(node, localId))
    },
    tasksOn: (nodeId) => tasksOn(client, nodeId, scope.networkName),
    joinParameters: (role) => joinParameters(client, role),
    rotateToken: (role) => rotateToken(client, role),
    updateNode: (id, change, isWanted) => updateNode(client, id, change, isWanted),
    removeNode: (id, force) => removeNode(client, id, force),
  }
}

export function nodeFrom(node: ApiNode, localId: string): FoundNode {
  const { State } = node.Status
  return {
    id: node.ID,
    hostname: node.Description.Hostname ?? '',
    address: addressOf(node),
    role: node.Spec.Role === 'manager' ? 'manager' : 'worker',
    availability: node.Spec.Availability as Availability,
    state: states.has(State) ? (State as FoundNode['state']) : 'unknown',
    ready: State === 'ready',
    active: node.Spec.Availability === 'active',
    local: node.ID === localId,
    manager: managerFrom(node),
    engineVersion: node.Description.Engine?.EngineVersion ?? '',
    cpuCores: (node.Description.Resources?.NanoCPUs ?? 0) / 1e9,
    memoryBytes: node.Description.Resources?.MemoryBytes ?? 0,
    labels: node.Spec.Labels ?? {},
  }
}

function managerFrom({ ManagerStatus }: ApiNode): FoundNode['manager'] {
  if (!ManagerStatus) return null
  return { leader: ManagerStatus.Leader === true, reachable: ManagerStatus.Reachability === 'reachable' }
}

const unusableHosts = ['', '0.0.0.0', '127.0.0.1', '::']

/** Docker sometimes reports a manager's address as 0.0.0.0, 127.0.0.1 or ::. `ManagerStatus` has the right address. */
function addressOf(node: ApiNode): string {
  const address = node.Status.Addr ?? ''
  const manager = hostOf(node.ManagerStatus?.Addr ?? '')
  return unusableHosts.includes(address) && manager !== '' ? manager : address
}

/** The host of `host:port`, without the brackets of an IPv6 address. */
const hostOf = (address: string) => address.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')

async function tasksOn(client: DockerClient, nodeId: string, networkName: string): Promise<FoundTask[]> {
  const tasks = await emptyIfMissing(client.call<ApiTask[]>({ path: '/tasks', query: { filters: { node: [nodeId] } } }))
  // A container attached to a network by hand appears as a task without a service. Draining does not move such a
  // container.
  const active = tasks.filter((task) => task.ServiceID && !hasEnded(task))
  if (active.length === 0) return []
  const ids = [...new Set(active.map(({ ServiceID }) => ServiceID!))]
  const filters = ids.length <= maxIds ? { id: ids } : {}
  const services = await client.call<ApiService[]>({ path: '/services', query: { filters } })
  const nameOf = new Map(services.map(({ ID, Spec }) => [ID, Spec.Name]))
  return active
    .map((task) => taskFrom(task, nameOf.get(task.ServiceID!) ?? task.ServiceID!, networkName))
    .sort(newestFirst)
}

/** The swarm answers 404 for the tasks of a node that it does not know. */
async function emptyIfMissing<T>(request: Promise<T[]>): Promise<T[]> {
  try {
    return await request
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

async function joinParameters(client: DockerClient, role: NodeRole): Promise<JoinParameters> {
  const [{ JoinTokens }, { Swarm, ServerVersion }] = await Promise.all([
    client.call<ApiSwarm>({ path: '/swarm' }),
    client.call<ApiInfo>({ path: '/info' }),
  ])
  const { ManagerStatus } = await client.call<ApiNode>({ path: `/nodes/${encodeURIComponent(Swarm.NodeID)}` })
  return {
    token: role === 'manager' ? JoinTokens.Manager : JoinTokens.Worker,
    address: joinAddress(ManagerStatus?.Addr ?? '', Swarm.NodeAddr),
    engineVersion: ServerVersion,
  }
}

const defaultPort = '2377'

/**
 * The address to join at, as `host:port`.
 * @param manager the address in the manager's `ManagerStatus`, as `docker swarm join-token` prints it
 * @param nodeAddress used if `manager` has no usable host
 */
export function joinAddress(manager: string, nodeAddress: string): string {
  const port = /:(\d+)$/.exec(manager)?.[1] ?? defaultPort
  const host = unusableHosts.includes(hostOf(manager)) ? nodeAddress : hostOf(manager)
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function rotateToken(client: DockerClient, role: NodeRole): Promise<void> {
  return retryOnRace(isOutOfSequence, async () => {
    const { Version, Spec } = await client.call<ApiSwarm>({ path: '/swarm' })
    const parameter = role === 'manager' ? 'rotateManagerToken' : 'rotateWorkerToken'
    const query = { version: Version.Index, [parameter]: 'true' }
    await client.call({ method: 'POST', path: '/swarm/update', query, body: Spec })
  })
}

function updateNode(
  client: DockerClient,
  id: string,
  change: NodeChange,
  isWanted?: () => Promise<boolean>,
): Promise<void> {
  const path = `/nodes/${encodeURIComponent(id)}`
  return retryOnRace(isOutOfSequence, async () => {
    const { Version, Spec } = await client.call<ApiNode>({ path })
    if (isWanted !== undefined && !(await isWanted())) return
    const body: ApiNodeSpec = {
      ...Spec,
      Role: change.role ?? Spec.Role,
      Availability: change.availability ?? Spec.Availability,
      Labels: change.labels ?? Spec.Labels ?? {},
    }
    await client.call({ method: 'POST', path: `${path}/update`, query: { version: Version.Index }, body })
  })
}

async function removeNode(client: DockerClient, id: string, force: boolean): Promise<void> {
  try {
    const query = { force: String(force) }
    await client.call({ method: 'DELETE', path: `/nodes/${encodeURIComponent(id)}`, query })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
