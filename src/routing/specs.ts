/**
 * The specifications of the proxy's service and of the gateways: small proxies, one for each published port. Pure
 * functions. The proxy gets redirects, basic auth and certificates by its admin API, so they are not part of its
 * specification.
 */
import type { Config } from '../config.ts'
import { roleLabel } from '../engine/labels.ts'
import type { Protocol, ServiceSpec } from '../engine/spec.ts'
import { allPrograms, proxyName } from './caddy/launch.ts'
import { outgoingContent, outgoingDigest } from './caddy/outgoing.ts'
import { tcpGateway, udpGateway } from '../gateways/specs.ts'

/** Label of a port's gateway. Its value is the id of the port's record. */
export const portIdLabel = 'berth.port-id'

export const portGatewayName = (portId: string) => `berth-port-${portId}`

export interface ProxyLocation {
  /**
   * The absolute path of the proxy's folder, which is the same on the engine's own node and in the container. The
   * folder must exist and belong to `user`.
   */
  folder: string
  /** uid:gid of Berth, so that only Berth can open the proxy's sockets. */
  user: string
  nodeId: string
}

/** The service of the proxy. After a restart, Caddy resumes with the configuration that it loaded last. */
export function proxySpec(
  { folder, user, nodeId }: ProxyLocation,
  config: Pick<Config, 'proxyImage' | 'proxyHttpPort' | 'proxyHttpsPort' | 'proxySettings'>,
): ServiceSpec {
  const outgoing = outgoingContent(config.proxySettings)
  const { argv, env } = allPrograms(folder, outgoing === null ? null : outgoingDigest(outgoing))
  return {
    name: proxyName,
    labels: { [roleLabel]: 'proxy' },
    image: config.proxyImage,
    env,
    args: argv,
    mounts: [{ type: 'bind', path: folder, name: folder, sizeBytes: 0, labels: {} }],
    files: [],
    // Berth checks the proxy by Caddy's admin API. A request for a page would also fail if the application is down.
    health: null,
    ports: [
      { published: config.proxyHttpPort, target: 80, protocol: 'tcp' },
      { published: config.proxyHttpsPort, target: 443, protocol: 'tcp' },
    ],
    user,
    // The caddy binary of the official image has this file capability and does not start without it.
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

/** A published port of an application. */
export interface PublishedPort {
  id: string
  published: number
  protocol: Protocol
  /** The name of the application's service on the swarm. */
  service: string
  targetPort: number
}

/** Maximum number of tasks that one TCP gateway forwards to. */
const maxTargets = 64

/**
 * The gateway of a published port. The gateway forwards to the tasks of the service, in both endpoint modes (vip and
 * dnsrr). If the service does not exist yet, the gateway waits for it.
 */
export function portGatewaySpec(
  port: PublishedPort,
  nodeId: string,
  config: Pick<Config, 'gatewayImage' | 'udpGatewayImage'>,
): ServiceSpec {
  const gateway = {
    name: portGatewayName(port.id),
    labels: { [roleLabel]: 'port', [portIdLabel]: port.id },
    nodeId,
    published: port.published,
    target: `tasks.${port.service}`,
    targetPort: port.targetPort,
  }
  return port.protocol === 'udp'
    ? udpGateway({ ...gateway, image: config.udpGatewayImage })
    : tcpGateway({ ...gateway, image: config.gatewayImage, maxTargets })
}
