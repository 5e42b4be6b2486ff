/**
 * Small proxies that hold a port of the node and forward it to the tasks of a service, by name: what is behind them
 * never restarts for a port, and they follow it wherever it goes. Pure. Knows neither databases nor applications.
 */
import type { Protocol, ServiceSpec } from '../engine/spec.ts'
import { textFile, textTemplate } from '../lib/text-file.ts'

const mebibyte = 1024 * 1024

export interface Gateway {
  name: string
  labels: Record<string, string>
  image: string
  nodeId: string
  /** The port of the node. */
  published: number
  /** A name on Berth's network, whose addresses are those of the tasks. */
  target: string
  targetPort: number
}

const haproxyText = textTemplate('gateways/haproxy.cfg')
const nginxText = textTemplate('gateways/nginx.conf')

/** Above 1023, for neither proxy is root. */
const insidePort = 15000

/** By HAProxy: `mostTargets` addresses at once, in turn; those beyond wait for a place. */
export function tcpGateway(it: Gateway & { maxTargets: number }): ServiceSpec {
  return {
    ...gateway(it, 'tcp'),
    env: { BERTH_TARGET: it.target, BERTH_TARGET_PORT: String(it.targetPort) },
    files: [{ path: '/usr/local/etc/haproxy/haproxy.cfg', content: haproxyConfiguration(it.maxTargets) }],
  }
}

const nginxPath = '/etc/berth/nginx.conf'
const followPath = '/etc/berth/follow.sh'
const follow = textFile('gateways/follow.sh', { nginxPath })
/** Whoever the image starts as: files of its own it needs none. */
const nobody = '65534:65534'

/** By the stream module of nginx: all that a client sends from one port goes to the same task, while that is there. */
export function udpGateway(it: Gateway): ServiceSpec {
  return {
    ...gateway(it, 'udp'),
    env: { BERTH_TARGET: it.target },
    args: ['sh', followPath],
    files: [
      { path: nginxPath, content: nginxConfiguration(it) },
      { path: followPath, content: follow },
    ],
    user: nobody,
  }
}

function gateway(it: Gateway, protocol: Protocol): ServiceSpec {
  return {
    name: it.name,
    labels: it.labels,
    image: it.image,
    env: {},
    args: [],
    mounts: [],
    files: [],
    health: null,
    ports: [{ published: it.published, target: insidePort, protocol }],
    user: null,
    capabilities: [],
    nodeId: it.nodeId,
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

/** As the swarm takes names of services: nothing that nginx would read as more than a name. */
const plainName = /^[A-Za-z0-9._-]+$/

function nginxConfiguration({ target, targetPort }: Gateway): string {
  if (!plainName.test(target)) throw new Error(`"${target}" is no name of a service`)
  return nginxText({ insidePort: String(insidePort), target, targetPort: String(targetPort) })
}
