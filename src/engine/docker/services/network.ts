/**
 * Berth's network: one attachable overlay network with addresses for tens of thousands of services. Also checks whether
 * the engine's own node can attach jobs to this network, and reads the containers' addresses on Docker's bridge.
 */
import { networkInterfaces } from 'node:os'
import type { ApiInfo, ApiNetwork, ApiNetworkDetails, ApiNode } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import { networksOf } from '../../../lib/net/networks.ts'
import { type ContainerNetwork, EngineFailure } from '../../engine.ts'
import { freeRange, hostRanges, hostRoutes } from '../../host-network.ts'
import { installationLabel } from '../../labels.ts'

/**
 * Creates the network if it is missing. Throws EngineFailure `conflict` if the name belongs to a network of another
 * type or no address range is free. Safe for concurrent calls.
 * @param isIsolated whether containers reach only each other through the network
 */
export async function ensureNetwork(
  client: DockerClient,
  name: string,
  installationId: string,
  isIsolated = false,
): Promise<void> {
  const networks = await client.call<ApiNetwork[]>({ path: '/networks' })
  if (hasOverlay(networks, name, isIsolated)) return
  try {
    const body = networkBody(networks, name, installationId, isIsolated)
    await client.call({ method: 'POST', path: '/networks/create', body })
  } catch (error) {
    // Another process may have created the network first. Names are unique in a swarm.
    if (!hasOverlay(await client.call<ApiNetwork[]>({ path: '/networks' }), name, isIsolated)) throw error
  }
}

/**
 * Throws EngineFailure `conflict` if the engine's own node is paused or drained, because no job can then join the
 * network.
 */
export async function checkOwnNode(client: DockerClient): Promise<void> {
  const { Swarm } = await client.call<ApiInfo>({ path: '/info' })
  const { Spec, Description } = await client.call<ApiNode>({ path: `/nodes/${Swarm.NodeID}` })
  if (Spec.Availability === 'active') return
  throw new EngineFailure(
    'conflict',
    `Berth's own node ${Description.Hostname} is ${Spec.Availability === 'drain' ? 'drained' : 'paused'}. ` +
      'Set it active with cluster.updateNode.',
  )
}

/** The ranges of the bridges and overlays on the engine's own node. */
export async function containerNetworks(client: DockerClient): Promise<ContainerNetwork[]> {
  const networks = await client.call<ApiNetwork[]>({ path: '/networks' })
  return networks
    .filter(({ Driver }) => Driver === 'bridge' || Driver === 'overlay')
    .flatMap(({ Name, IPAM }) =>
      (IPAM.Config ?? []).flatMap(({ Subnet = '' }) => (networksOf(Subnet) ?? []).map((it) => ({ ...it, name: Name }))),
    )
}

/** The id with which services refer to a swarm network; null if there is no network of this name. */
export async function networkId(client: DockerClient, name: string): Promise<string | null> {
  const filters = { name: [name], scope: ['swarm'] }
  const networks = await client.call<ApiNetwork[]>({ path: '/networks', query: { filters } })
  return networks.find(({ Name }) => Name === name)?.Id ?? null
}

/**
 * The network over which a node reaches its own containers of the swarm. Docker creates this network with the swarm.
 */
const bridge = 'docker_gwbridge'

/** The containers' IPv4 addresses on the bridge without the prefix length, by container id. */
export async function bridgeAddresses(client: DockerClient): Promise<Map<string, string>> {
  const { Containers } = await client.call<ApiNetworkDetails>({ path: `/networks/${bridge}` })
  return new Map(
    Object.entries(Containers ?? {}).flatMap(([id, { IPv4Address = '' }]) =>
      IPv4Address === '' ? [] : [[id, IPv4Address.replace(/\/\d+$/, '')]],
    ),
  )
}

/** Throws EngineFailure `conflict` if a network of another type has the name. */
function hasOverlay(networks: ApiNetwork[], name: string, isIsolated: boolean): boolean {
  const named = networks.filter((it) => it.Name === name)
  const isRight = ({ Driver, Scope, Attachable, Internal }: ApiNetwork) =>
    Driver === 'overlay' && Scope === 'swarm' && Attachable && (Internal || !isIsolated)
  if (named.some(isRight)) return true
  if (named.length === 0) return false
  throw new EngineFailure(
    'conflict',
    `The network "${name}" is not an attachable ${isIsolated ? 'and internal ' : ''}overlay of the swarm. ` +
      'Remove it, or set BERTH_NETWORK to another name.',
  )
}

function networkBody(networks: ApiNetwork[], name: string, installationId: string, isIsolated: boolean) {
  const networkRanges = networks.flatMap((it) => it.IPAM.Config ?? []).flatMap(({ Subnet }) => Subnet ?? [])
  const taken = [...networkRanges.filter((it) => !it.includes(':')), ...hostRanges(networkInterfaces(), hostRoutes())]
  const subnet = freeRange(taken)
  if (!subnet) {
    throw new EngineFailure(
      'conflict',
      `No range from 10.200.0.0/16 to 10.223.0.0/16 is free for the network "${name}". ` +
        `Create the network yourself: docker network create -d overlay --attachable --subnet <range> ${name}`,
    )
  }
  return {
    Name: name,
    Driver: 'overlay',
    Attachable: true,
    Internal: isIsolated,
    CheckDuplicate: true,
    Labels: { [installationLabel]: installationId },
    IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
  }
}
