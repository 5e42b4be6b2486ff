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
  /** The labels of a volume that the mount creates; not used for other types. */
  labels: Record<string, string>
  /** Whether the container cannot write to a volume; absent: it can. */
  isReadOnly?: true
}

/**
 * A file inside the container. The swarm stores the file as a config or, with `isSecret`, as a secret. Docker's API
 * never returns the content of a secret, and a node keeps secrets only in memory.
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
  /** The host name of the container, which resolves to its own address; absent: the engine chooses one. */
  hostname?: string
  env: Record<string, string>
  /** The words that replace the image's entrypoint; absent: they do not. */
  command?: string[]
  /** The arguments for the image's entrypoint; empty: the image's default command. */
  args: string[]
  mounts: Mount[]
  files: SpecFile[]
  /** The argv of the health check; null: no check. */
  health: string[] | null
  /** Whether the container joins the network without a way out instead of Berth's network. */
  isIsolated?: true
  /** The ports published on the node itself (host mode). */
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

/** The parts of a service's specification that its record decides, as found in the engine. */
export type FoundSpec = Pick<ServiceSpec, (typeof foundParts)[number]> & {
  mounts: Pick<Mount, 'type' | 'path' | 'name'>[]
}

export const foundParts = [
  'image',
  'env',
  'args',
  'ports',
  'memoryLimitBytes',
  'memoryReservationBytes',
  'cpuLimitNano',
  'cpuReservationNano',
  'restarts',
] as const satisfies readonly (keyof ServiceSpec)[]

/** The digest of a specification. The order of keys has no influence. */
export function digestOf(spec: ServiceSpec): string {
  return hash(spec)
}

/**
 * The digest of the part of a specification that affects the container. Excludes the number of replicas and the labels
 * of the service.
 */
export function containerDigestOf(spec: ServiceSpec): string {
  return hash({ ...spec, replicas: 1, labels: {} })
}

/** The first 32 hexadecimal digits of the SHA-256 of a JSON value. The order of keys has no influence. */
export function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sortKeys)).digest('hex').slice(0, 32)
}

function sortKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
