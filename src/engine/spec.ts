/**
 * The specification of a swarm service as plain values, and its digest. Pure. docker/services/spec.ts translates a
 * specification to Docker's API; plan.ts compares specifications with existing services.
 */
import { createHash } from 'node:crypto'

export interface Mount {
  type: 'volume' | 'tmpfs' | 'bind'
  /** Absolute path inside the container. */
  path: string
  /** A volume: its name. A bind mount: the absolute path on the node, which must exist. A tmpfs: ''. */
  name: string
  /** The size of a tmpfs; 0 for other types. */
  sizeBytes: number
  labels: Record<string, string>
}

/**
 * A file inside the container that the swarm stores as a config or, with `isSecret`, as a secret. A secret is only in
 * the memory of its node and cannot be read through the API.
 */
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
  /** Arguments for the image's entrypoint; empty: the image's default command. */
  args: string[]
  mounts: Mount[]
  files: SpecFile[]
  /** Argv of the health check; null: no check. */
  health: string[] | null
  /** Ports published on the node itself (host mode). */
  ports: SpecPort[]
  /** `uid:gid`; null: the image's user. */
  user: string | null
  /** The complete set of capabilities, like NET_BIND_SERVICE; null: the engine's default set. */
  capabilities: string[] | null
  nodeId: string
  memoryLimitBytes: number | null
  memoryReservationBytes: number | null
  /** In billionths of a core. */
  cpuLimitNano: number | null
  cpuReservationNano: number | null
  stopGraceSeconds: number
  replicas: 0 | 1
  /** A counter: a different number makes the swarm replace the container. */
  restarts: number
}

/** The digest of a specification. Independent of the order of keys. */
export function digestOf(spec: ServiceSpec): string {
  return hash(spec)
}

/** The digest without the fields that do not affect a container: the number of replicas and the service's labels. */
export function containerDigestOf(spec: ServiceSpec): string {
  return hash({ ...spec, replicas: 1, labels: {} })
}

/** The first 32 hexadecimal digits of the SHA-256 of any plain value. Independent of the order of keys. */
export function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex').slice(0, 32)
}

function sorted(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
