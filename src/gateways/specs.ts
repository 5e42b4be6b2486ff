/**
 * The specifications of gateways. A gateway is a small proxy that publishes a port of a node and forwards connections
 * to the tasks of a service by name. So a port can change without a restart of the service, and the service can move to
 * another node. This file knows neither databases nor applications. Pure.
 */
import type { Protocol, ServiceSpec } from '../engine/spec.ts'
import { textFile, textTemplate } from '../lib/text-file.ts'

const mebibyte = 1024 * 1024

/** The options of TCP and UDP gateways. */
export interface Gateway {
  name: string
  labels: Record<string, string>
  image: string
  nodeId: string
  /** The port of the node on which the gateway accepts connections. */
  published: number
  /** A DNS name on Berth's network that resolves to the addresses of the tasks. */
  target: string
  targetPort: number
}

const haproxyText = textTemplate('gateways/haproxy.cfg')
const nginxText = textTemplate('gateways/nginx.conf')

/** The port inside the container. Above 1023, because neither proxy runs as root. */
const insidePort = 15000

/**
 * A TCP gateway with HAProxy. The gateway balances over at most `maxTargets` tasks. If the target has more tasks, a
 * further task takes the place of one that disappears.
 */
export function tcpGateway(options: Gateway & { maxTargets: number }): ServiceSpec {
  return {
    ...gateway(options, 'tcp'),
    env: { BERTH_TARGET: options.target, BERTH_TARGET_PORT: String(options.targetPort) },
    files: [{ path: '/usr/local/etc/haproxy/haproxy.cfg', content: haproxyConfiguration(options.maxTargets) }],
  }
}

const nginxPath = '/etc/berth/nginx.conf'
const followPath = '/etc/berth/follow.sh'
const follow = textFile('gateways/follow.sh', { nginxPath })
/** The user of nginx, whatever the image's default is. nginx needs no files that belong to a certain user. */
const unprivilegedUser = '65534:65534'

/**
 * A UDP gateway with the stream module of nginx. All datagrams from one address and port of a client go to the same
 * task as long as the task exists.
 */
export function udpGateway(options: Gateway): ServiceSpec {
  return {
    ...gateway(options, 'udp'),
    env: { BERTH_TARGET: options.target },
    args: ['sh', followPath],
    files: [
      { path: nginxPath, content: nginxConfiguration(options) },
      { path: followPath, content: follow },
    ],
    user: unprivilegedUser,
  }
}

function gateway(options: Gateway, protocol: Protocol): ServiceSpec {
  return {
    name: options.name,
    labels: options.labels,
    image: options.image,
    env: {},
    args: [],
    mounts: [],
    files: [],
    health: null,
    ports: [{ published: options.published, target: insidePort, protocol }],
    user: null,
    capabilities: [],
    nodeId: options.nodeId,
    memoryLimitBytes: 128 * mebibyte,
    memoryReservationBytes: null,
    cpuLimitNano: null,
    cpuReservationNano: null,
    stopGraceSeconds: 5,
    replicas: 1,
    restarts: 0,
  }
}

function haproxyConfiguration(maxTargets: number): string {
  return haproxyText({ insidePort: String(insidePort), maxTargets: String(maxTargets) })
}

/** The characters that Swarm accepts in names of services. None of them has a meaning in nginx's configuration. */
const plainName = /^[A-Za-z0-9._-]+$/

function nginxConfiguration({ target, targetPort }: Gateway): string {
  if (!plainName.test(target)) throw new Error(`"${target}" is not a valid service name`)
  return nginxText({ insidePort: String(insidePort), target, targetPort: String(targetPort) })
}
