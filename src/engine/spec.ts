/**
 * What a swarm service is to be, as plain values that are compared by equality. Pure: no I/O.
 * docker.ts translates a spec into the engine's own form; plan.ts compares specs with what is found.
 */
import { createHash } from 'node:crypto'

export interface Mount {
  type: 'volume' | 'tmpfs' | 'bind'
  /** Absolute path inside the container. */
  path: string
  /** The volume's name; of a bind the absolute path on the node, which has to be there; '' for tmpfs. */
  name: string
  /** Of a tmpfs; 0 for others. */
  sizeBytes: number
  labels: Record<string, string>
}

/** A file inside the container, held by the swarm. A secret is in the memory of its node alone, and read by nobody. */
export interface SpecFile {
  path: string
  content: string
  isSecret?: true
}

export type Protocol = 'tcp' | 'udp'

export interface SpecPort {
  published: number
  target: number
  protocol: Protocol
}

export interface ServiceSpec {
  name: string
  labels: Record<string, string>
  image: string
  env: Record<string, string>
  /** Arguments for the image's entrypoint; empty: the image's own. */
  args: string[]
  mounts: Mount[]
  files: SpecFile[]
  /** Argv of the health check; null for none. */
  health: string[] | null
  /** Published on the node itself (host mode). */
  ports: SpecPort[]
  /** uid:gid; null: the image's own. */
  user: string | null
  /** All that its processes may have, like NET_BIND_SERVICE; null: the engine's usual ones. */
  capabilities: string[] | null
  nodeId: string
  memoryLimitBytes: number | null
  memoryReservationBytes: number | null
  /** Billionths of a core. */
  cpuLimitNano: number | null
  cpuReservationNano: number | null
  stopGraceSeconds: number
  replicas: 0 | 1
  /** Another number makes a new container of the same specification. */
  restarts: number
}

/** The same for equal specs, whatever the order of their keys. */
export function digestOf(spec: ServiceSpec): string {
  return hash(spec)
}

/** Leaves out what does not make a new container: the number of replicas and the labels of the service. */
export function containerDigestOf(spec: ServiceSpec): string {
  return hash({ ...spec, replicas: 1, labels: {} })
}

/** Of any plain value. */
export function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex').slice(0, 32)
}

function sorted(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
