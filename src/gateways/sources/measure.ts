/**
 * Measures whether the source addresses of clients reach the gateways of a node. Berth connects to a gateway as clients
 * do, over each family, and compares its own address with the one that HAProxy saw. How the engine forwards a connection
 * depends on its version, its settings and the family, so Berth does not derive it from them.
 */
import { connect, isIPv6, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Runtime } from '../../runtime.ts'
import { control, type SourcesSubject } from './apply.ts'
import type { GatewayStatus } from './control.ts'
import type { Family } from './reason.ts'
import type { Measurement, Visibility } from './table.ts'

/**
 * Measures the node of a running gateway. Returns null if the gateway has no port now, or if the connections of
 * Berth left no trace in it.
 * @throws GatewayFault and EngineFailure, as `control`
 */
export type Measure = (runtime: Runtime, subject: SourcesSubject) => Promise<Measurement | null>

/** How a connection of Berth ended up at the gateway. */
export interface Probe {
  /** Whether Berth runs on the node, so that the engine may treat its connections differently. */
  isLocal: boolean
  /** The address and the port from which Berth connected; null if it could not connect. */
  from: { address: string; port: number } | null
}

/** Long enough for a lost SYN, which is repeated after 1 s and 3 s, and for a pause of a busy machine. */
const connectTimeoutMs = 4000
/** An attempt that the gateway refused longer ago was not Berth's. */
const recentMs = 10_000

export const measureSources: Measure = async (runtime, subject) => {
  const node = (await runtime.engine.nodes()).find(({ id }) => id === subject.task.nodeId)
  // Not the port of the service: a changed one leads nowhere until the next task runs.
  const port = subject.task.publishedPorts[0]
  if (node === undefined || port === undefined) return null
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const isLocal = own.some(({ address }) => address === node.address)
  const global = own.find(({ address, internal }) => !internal && isIPv6(address) && !/^fe[89ab]/i.test(address))
  const sockets = new Set<Socket>()
  const probe = (host: string | undefined) =>
    host === undefined ? { isLocal, from: null } : probeFrom(host, port, isLocal, sockets)
  try {
    const [ipv4, loopback, loopback6, ipv6] = await Promise.all([
      probe(node.address),
      probe(isLocal ? '127.0.0.1' : undefined),
      probe(isLocal ? '::1' : undefined),
      probe(isLocal ? global?.address : undefined),
    ])
    const status = await control(runtime, subject.task, 'status')
    return measurementFrom({ ipv4, ipv6: ipv6.from === null ? loopback6 : ipv6, loopback }, status)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

/** Connects and keeps the connection open. The gateway may accept or refuse it: both show the address that it saw. */
async function probeFrom(host: string, port: number, isLocal: boolean, sockets: Set<Socket>): Promise<Probe> {
  const socket = connect({ host, port })
  sockets.add(socket)
  const { promise, resolve } = Promise.withResolvers<Probe>()
  const timer = setTimeout(() => resolve({ isLocal, from: null }), connectTimeoutMs)
  socket
    .on('connect', () => {
      const { localAddress: address, localPort } = socket
      resolve({ isLocal, from: address === undefined || localPort === undefined ? null : { address, port: localPort } })
    })
    .on('error', () => resolve({ isLocal, from: null }))
  return promise.finally(() => clearTimeout(timer))
}

/**
 * Returns the measurement with what was known before of the families that could not be measured now. Pure.
 * @param before the previous measurement; null if there is none
 */
export function withKnown(measured: Measurement, before: Measurement | null): Measurement {
  if (before === null) return measured
  const latest = (family: Family) => (measured[family] === 'unknown' ? before[family] : measured[family])
  return { ...measured, ipv4: latest('ipv4'), ipv6: latest('ipv6'), loopback: latest('loopback') }
}

type Traces = Pick<GatewayStatus, 'sessions' | 'refusedSources' | 'refusedPorts' | 'routers'>

/**
 * Compares from where Berth connected with what the gateway saw. Pure.
 *
 * A gateway without a server closes a connection before its sessions are read. Such a connection is not hidden: nothing
 * is known of it. A hidden one arrives with the address of a router, so there must be as many of these as are missing.
 * @returns null if a connection left no trace, or if the port is closed on the node of Berth: the gateway is ending
 */
export function measurementFrom(
  probes: Record<'ipv4' | 'ipv6' | 'loopback', Probe>,
  status: Traces,
): Measurement | null {
  const isClosed = Object.values(probes).every(({ from }) => from === null)
  if (isClosed && probes.ipv4.isLocal) return null
  const missing = Object.values(probes).filter((probe) => !hasArrived(probe, status))
  if (missing.length > strangersOf(Object.values(probes), status)) return null
  return {
    ipv4: visibilityOf(probes.ipv4, status, true),
    ipv6: visibilityOf(probes.ipv6, status, false),
    loopback: visibilityOf(probes.loopback, status, false),
    hiddenAddresses: [...status.routers],
  }
}

/**
 * A connection from the node itself may arrive with the address of the bridge although that of a remote client is kept:
 * Swarm masquerades connections of the node (libnetwork, `programIngress`). Such a connection keeps its source port,
 * because the kernel forwarded it. If Docker's userland proxy forwards, a new connection with another port arrives.
 * @param canBeMasqueraded whether an arrival with the same port, but another address, tells that the kernel forwarded it
 */
function visibilityOf({ from, isLocal }: Probe, status: Traces, canBeMasqueraded: boolean): Visibility {
  if (from === null) return 'unknown'
  if (isKept(from, status)) return 'kept'
  return isLocal && canBeMasqueraded && hasPort(from, status) ? 'kept' : 'hidden'
}

type From = NonNullable<Probe['from']>

const isRecent = ({ ageMs }: { ageMs: number }) => ageMs < recentMs

/** Whether the gateway saw the address of Berth. */
const isKept = (from: From, { sessions, refusedSources }: Traces) =>
  sessions.some(({ address, port }) => address === from.address && port === from.port) ||
  refusedSources.some((refused) => refused.source === from.address && isRecent(refused))

/** Whether the gateway saw the port of Berth, with any address. */
const hasPort = ({ port }: From, { sessions, refusedPorts }: Traces) =>
  refusedPorts.includes(port) || sessions.some((session) => session.port === port)

/** Whether the gateway saw the connection, or there was none. */
const hasArrived = ({ from }: Probe, status: Traces) => from === null || isKept(from, status) || hasPort(from, status)

/** The number of connections with the address of a router and a port that is not Berth's. */
function strangersOf(probes: readonly Probe[], { sessions, refusedSources, refusedPorts, routers }: Traces): number {
  const own = new Set(probes.map(({ from }) => from?.port))
  const isStranger = (port: number) => !own.has(port)
  const accepted = sessions.filter(({ address, port }) => routers.includes(address) && isStranger(port))
  const hasRefused = refusedSources.some((refused) => routers.includes(refused.source) && isRecent(refused))
  return accepted.length + (hasRefused ? refusedPorts.filter(isStranger).length : 0)
}
