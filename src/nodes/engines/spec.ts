/**
 * The service that opens the port to a node's engine: HAProxy on the network of the node, which forwards connections
 * with Berth's client certificate to the engine's socket. Whoever passes it is root on the node. Pure.
 */
import { roleLabel } from '../../engine/labels.ts'
import type { ServiceSpec } from '../../engine/spec.ts'
import type { Network } from '../../lib/net/egress.ts'
import { textTemplate } from '../../lib/text-file.ts'

const mebibyte = 1024 * 1024
/**
 * HAProxy needs about 40 MiB, and for each connection two buffers of 16 KiB and up to 76 KiB for TLS during the handshake
 * (SSL_HANDSHAKE_MAX_COST of HAProxy 3.0; about 16 KiB afterwards). 2000 connections, the maxconn in engine.cfg: 251 MiB.
 */
const memoryLimitBytes = 256 * mebibyte

/** The value of `roleLabel`. */
export const engineRole = 'engine'

const configuration = textTemplate('nodes/engines/engine.cfg')
const certificatePath = '/etc/berth/engine.pem'
const authorityPath = '/etc/berth/engines.pem'
const socketPath = '/var/run/docker.sock'
/** Ports below this one need a capability. */
const firstUnprivilegedPort = 1024

export interface EnginePort {
  nodeId: string
  image: string
  address: string
  port: number
  /** Networks from which connections are accepted. */
  sources: readonly Network[]
  /** Fingerprints of the accepted client certificates, at least one. */
  fingerprints: readonly string[]
  /** The authorities that may have signed client certificates, as PEM. */
  trustBundle: string
  certificatePem: string
  keyPem: string
}

export const engineServiceName = (nodeId: string): string => `berth-engine-${nodeId}`

/** The name by which Berth verifies the certificate of a node's port. */
export const engineServerName = (nodeId: string): string => `${nodeId}.engines.berth`

export function engineSpec(options: EnginePort): ServiceSpec {
  const { nodeId, image, port, trustBundle, certificatePem, keyPem } = options
  return {
    name: engineServiceName(nodeId),
    labels: { [roleLabel]: engineRole },
    image,
    env: {},
    args: [],
    mounts: [{ type: 'bind', path: socketPath, name: socketPath, sizeBytes: 0, labels: {} }],
    files: [
      { path: '/usr/local/etc/haproxy/haproxy.cfg', content: engineConfiguration(options) },
      { path: authorityPath, content: trustBundle },
      { path: certificatePath, content: certificatePem + keyPem, isSecret: true },
    ],
    health: null,
    ports: [],
    hostNetwork: true,
    // The engine's socket belongs to root.
    user: '0:0',
    capabilities: port < firstUnprivilegedPort ? ['NET_BIND_SERVICE'] : [],
    nodeId,
    memoryLimitBytes,
    memoryReservationBytes: null,
    cpuLimitNano: null,
    cpuReservationNano: null,
    stopGraceSeconds: 5,
    replicas: 1,
    restarts: 0,
  }
}

function engineConfiguration({ address, port, sources, fingerprints }: EnginePort): string {
  return configuration({
    bind: `${address.includes(':') ? 'ipv6' : 'ipv4'}@${address}:${port}`,
    certificatePath,
    authorityPath,
    sources: sources.map((source) => `${source.address}/${source.prefix}`).join(' '),
    fingerprints: fingerprints.join(' '),
  })
}
