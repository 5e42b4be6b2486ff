/**
 * The trusted proxies of the settings, without the networks of containers. The engine passes on some connections with
 * the address of its bridge, so that address stands for callers that nobody knows. Who trusts it lets them choose the
 * address that Berth counts.
 */
import { networkInterfaces } from 'node:os'
import { type ContainerNetwork, type Engine, EngineFailure } from '../engine/engine.ts'
import { bridgeNetworks, hostRoutes } from '../engine/host-network.ts'
import { blockListOf, has, type Network, networkText, overlap } from '../lib/net/networks.ts'

/** A setting that has addresses of containers. */
export interface RefusedProxy {
  /** The address or network of the setting, such as 10.0.0.0/8. */
  proxy: string
  /** The name of the network of containers. */
  network: string
}

export interface TrustedProxies {
  /** @param address as `plainAddress` has it */
  isTrusted(address: string): boolean
  /** Reads the networks of containers. While the engine does not answer, the networks of before still count. */
  read(): Promise<void>
  refused(): RefusedProxy[]
}

/** The settings that overlap with networks of containers, each with the first such network. Pure. */
export function refusedProxies(proxies: readonly Network[], containers: readonly ContainerNetwork[]): RefusedProxy[] {
  return proxies.flatMap((proxy) => {
    const found = containers.find((network) => overlap(proxy, network))
    return found === undefined ? [] : [{ proxy: networkText(proxy), network: found.name }]
  })
}

/** The engine's bridges on this host. */
export const hostBridges = (): ContainerNetwork[] => bridgeNetworks(networkInterfaces(), hostRoutes())

/** @throws an Error if a proxy of the settings is in the network of a bridge of this host */
export function checkTrustedProxies(proxies: readonly Network[], bridges: readonly ContainerNetwork[]): void {
  const [refused] = refusedProxies(proxies, bridges)
  if (refused === undefined) return
  throw new Error(
    `BERTH_TRUSTED_PROXIES has ${refused.proxy}, with addresses of containers (${refused.network}). Docker gives some ` +
      'callers such an address, so it cannot be trusted. Run the proxy on the network of the host, and name the address ' +
      'from which it calls Berth, such as 127.0.0.1.',
  )
}

export function trustedProxiesOf(
  proxies: readonly Network[],
  engine: Pick<Engine, 'containerNetworks'>,
  readBridges: () => ContainerNetwork[] = hostBridges,
): TrustedProxies {
  const list = blockListOf(proxies)
  let ofEngine: ContainerNetwork[] = []
  let containers = proxies.length === 0 ? [] : readBridges()
  let containerList = blockListOf(containers)
  return { isTrusted, read, refused: () => refusedProxies(proxies, containers) }

  function isTrusted(address: string): boolean {
    return has(list, address) && !has(containerList, address)
  }

  async function read() {
    if (proxies.length === 0) return
    try {
      ofEngine = await engine.containerNetworks()
    } catch (error) {
      // The condition EngineDown says so.
      if (!(error instanceof EngineFailure)) throw error
    }
    containers = [...readBridges(), ...ofEngine]
    containerList = blockListOf(containers)
  }
}
