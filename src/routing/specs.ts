/**
 * The specifications of the services by which applications are reached: the proxy, and a gateway for each published
 * port. Pure. Knows neither rules nor what the proxy does with them.
 */
import type { Config } from '../config.ts'
import { roleLabel } from '../engine/labels.ts'
import type { Protocol, ServiceSpec } from '../engine/spec.ts'
import { allPrograms, proxyName } from './caddy/launch.ts'
import { tcpGateway, udpGateway } from '../gateways/specs.ts'

/** On the gateway of a port: the id of the port's record. */
export const portLabel = 'berth.port-id'

export const portGatewayName = (portId: string) => `berth-port-${portId}`

export interface ProxyPlace {
  /** The proxy's folder on the engine's own node: absolute, the same path inside; it has to be there, and `user`'s. */
  folder: string
  /** uid:gid of Berth, so that it alone may open the proxy's socket. */
  user: string
  nodeId: string
}

/** Caddy, which goes on with the configuration that it took last. */
export function proxySpec(
  { folder, user, nodeId }: ProxyPlace,
  config: Pick<Config, 'proxyImage' | 'proxyHttpPort' | 'proxyHttpsPort'>,
): ServiceSpec {
  const { argv, env } = allPrograms(folder)
  return {
    name: proxyName,
    labels: { [roleLabel]: 'proxy' },
    image: config.proxyImage,
    env,
    args: argv,
    mounts: [{ type: 'bind', path: folder, name: folder, sizeBytes: 0, labels: {} }],
    files: [],
    // A proxy that serves no page is no sick one: Berth asks it itself.
    health: null,
    ports: [
      { published: config.proxyHttpPort, target: 80, protocol: 'tcp' },
      { published: config.proxyHttpsPort, target: 443, protocol: 'tcp' },
    ],
    user,
    // The official image's program asks for it by the file's own attribute, and does not start without.
    capabilities: ['NET_BIND_SERVICE'],
    nodeId,
    memoryLimitBytes: null,
    memoryReservationBytes: null,
    cpuLimitNano: null,
    cpuReservationNano: null,
    stopGraceSeconds: 10,
    replicas: 1,
    restarts: 0,
  }
}

/** A published port of an application. `service`: the name of its service on the swarm. */
export interface PublishedPort {
  id: string
  published: number
  protocol: Protocol
  service: string
  targetPort: number
}

/** Tasks of an application that one gateway forwards to at once. */
const maxTargets = 64

/** Forwards to all tasks of the service, whatever its endpoint mode; waits for the service where it is not there. */
export function portGatewaySpec(
  it: PublishedPort,
  nodeId: string,
  config: Pick<Config, 'gatewayImage' | 'udpGatewayImage'>,
): ServiceSpec {
  const gateway = {
    name: portGatewayName(it.id),
    labels: { [roleLabel]: 'port', [portLabel]: it.id },
    nodeId,
    published: it.published,
    target: `tasks.${it.service}`,
    targetPort: it.targetPort,
  }
  return it.protocol === 'udp'
    ? udpGateway({ ...gateway, image: config.udpGatewayImage })
    : tcpGateway({ ...gateway, image: config.gatewayImage, maxTargets })
}
