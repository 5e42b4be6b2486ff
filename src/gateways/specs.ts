/**
 * The specifications of gateways. A gateway is a small proxy that publishes a port of a node and forwards connections
 * to the tasks of a service by name. So a port can change without a restart of the service, and the service can move to
 * another node. This file knows neither databases nor applications. Pure.
 */
import type { Protocol, ServiceSpec, SpecFile } from '../engine/spec.ts'
import { cidrText, parseCidr } from '../lib/net/network.ts'
import { textFile, textTemplate } from '../lib/text-file.ts'
import { controlPort, sourcesFile, sourcesFolder } from './sources/control.ts'

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
  /**
   * The port of the target for clients that begin with TLS. Absent: all clients are forwarded to `targetPort`. Only for
   * TCP, and only for protocols in which the client sends first.
   */
  tlsTargetPort?: number
}

const haproxyText = textTemplate('gateways/haproxy.cfg')
const control = textFile('gateways/haproxy-control.cfg', { controlPort: String(controlPort) })
const sourceRules = textFile('gateways/haproxy-sources.cfg', { sourcesFile })
const sourceTables = textFile('gateways/haproxy-sources-tables.cfg')
const tlsRules = textFile('gateways/haproxy-tls.cfg')
const tlsBackendText = textTemplate('gateways/haproxy-tls-backend.cfg')
const nginxText = textTemplate('gateways/nginx.conf')

/** The port inside the container. Above 1023, because neither proxy runs as root. */
const insidePort = 15000

/** The options of TCP gateways. */
export interface TcpGateway extends Gateway {
  /** The maximum number of tasks that the gateway balances over. */
  maxTargets: number
}

/**
 * A TCP gateway with HAProxy. If the target has more tasks than `maxTargets`, a further task takes the place of one that
 * disappears. The gateway refuses everyone until Berth has told it the allowed sources (sources/apply.ts). It keeps them
 * in a volume of its own, so that it enforces them after a restart even while Berth is down.
 */
export function tcpGateway(options: TcpGateway): ServiceSpec {
  const { name, labels } = options
  return {
    ...openTcpGateway(options),
    mounts: [{ type: 'volume', path: sourcesFolder, name: sourcesVolume(name), sizeBytes: 0, labels }],
    files: haproxyFiles(options, true),
  }
}

/** The volume of a TCP gateway. */
export const sourcesVolume = (gatewayName: string) => `${gatewayName}-sources`

/** A TCP gateway as earlier versions of Berth created it. It accepts everyone. */
export function openTcpGateway(options: TcpGateway): ServiceSpec {
  return {
    ...gateway(options, 'tcp'),
    env: { BERTH_TARGET: options.target, BERTH_TARGET_PORT: String(options.targetPort) },
    files: haproxyFiles(options, false),
  }
}

const nginxPath = '/etc/berth/nginx.conf'
const followPath = '/etc/berth/follow.sh'
const follow = textFile('gateways/follow.sh', { nginxPath })
const denyRoutersPath = '/etc/berth/deny-routers.sh'
/** The rules that the container writes at its start. Its user can write only to /tmp. */
const deniedPath = '/tmp/denied.conf'
const denyRouters = textFile('gateways/deny-routers.sh', { deniedPath, followPath })
/** The user of nginx, whatever the image's default is. nginx needs no files that belong to a certain user. */
const unprivilegedUser = '65534:65534'

/**
 * A UDP gateway with the stream module of nginx. All datagrams from one address and port of a client go to the same
 * task as long as the task exists. The allowed sources are part of the configuration, so a change replaces the gateway.
 * With a list, the gateway refuses clients that arrive with the address of one of its routers.
 * @param options `allowedSources`: the canonical networks from which the gateway accepts datagrams; null: from everyone
 */
export function udpGateway(options: Gateway & { allowedSources: readonly string[] | null }): ServiceSpec {
  const hasList = options.allowedSources !== null
  return {
    ...gateway(options, 'udp'),
    env: { BERTH_TARGET: options.target },
    args: ['sh', hasList ? denyRoutersPath : followPath],
    files: [
      { path: nginxPath, content: nginxConfiguration(options) },
      { path: followPath, content: follow },
      ...(hasList ? [{ path: denyRoutersPath, content: denyRouters }] : []),
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

function haproxyFiles({ maxTargets: max, tlsTargetPort }: TcpGateway, hasSources: boolean): SpecFile[] {
  const maxTargets = String(max)
  const isTls = tlsTargetPort !== undefined
  const tlsBackend = isTls ? tlsBackendText({ maxTargets, tlsTargetPort: String(tlsTargetPort) }) : ''
  const content = haproxyText({
    insidePort: String(insidePort),
    maxTargets,
    control: linesAfter(hasSources ? control : ''),
    rules: linesAfter(hasSources ? sourceRules : '') + linesAfter(isTls ? tlsRules : ''),
    backends: linesAfter(hasSources ? sourceTables : '') + linesAfter(tlsBackend),
  })
  return [{ path: '/usr/local/etc/haproxy/haproxy.cfg', content }]
}

/** The lines of a part, to be inserted at the end of a line. */
const linesAfter = (part: string) => (part === '' ? '' : `\n${part.trimEnd()}`)

/** The characters that Swarm accepts in names of services. None of them has a meaning in nginx's configuration. */
const plainName = /^[A-Za-z0-9._-]+$/

function nginxConfiguration({ target, targetPort, allowedSources }: Parameters<typeof udpGateway>[0]): string {
  if (!plainName.test(target)) throw new Error(`"${target}" is not a valid service name`)
  const rules = allowedSources === null ? [] : [`include ${deniedPath};`, ...allowedSources.map(allowRule), 'deny all;']
  return nginxText({
    insidePort: String(insidePort),
    target,
    targetPort: String(targetPort),
    rules: rules.map((rule) => `\n    ${rule}`).join(''),
  })
}

/** Parses the source again, so that only the text of a network can become part of the configuration. */
function allowRule(source: string): string {
  const cidr = parseCidr(source)
  if (cidr === null) throw new Error(`"${source}" is not a network`)
  return `allow ${cidrText(cidr)};`
}
