/** The state of the in-memory engine. tasks.ts, services.ts and nodes.ts change it. */
import type { FoundCharge } from '../../../src/engine/charge.ts'
import type { EngineEvent, FoundNode, FoundService, FoundTask } from '../../../src/engine/engine.ts'
import { digestLabel, installationLabel } from '../../../src/engine/labels.ts'
import { digestOf } from '../../../src/engine/spec.ts'
import type { ServiceSpec } from '../../../src/engine/spec.ts'

/**
 * How a service's tasks behave. `answering`: the server waits for its clearance, and then runs.
 * After the colon, `pending`, `rejected` and `failed` have the engine's message, and
 * `crash` has the exit code.
 */
export type Behaviour =
  | 'running'
  | 'preparing'
  | 'starting'
  | 'answering'
  | 'out of memory'
  | `pending:${string}`
  | `rejected:${string}`
  | `failed:${string}`
  | `crash:${number}`

export interface MemoryService {
  observed: FoundService
  /** Null: someone else's service. */
  spec: ServiceSpec | null
  /** Newest first. */
  tasks: FoundTask[]
}

export interface Runtime {
  installationId: string
  nodeId: string
  services: Map<string, MemoryService>
  /** Removed services whose containers may still run, on nodes that are down or lingering. */
  removed: Set<MemoryService>
  nodes: Map<string, FoundNode>
  /** Ids of nodes on which containers do not end for now. */
  lingering: Set<string>
  volumes: Set<string>
  /** The nodes that have a volume, by its name. Without an entry, every node has it. */
  homes: Map<string, Set<string>>
  /** The labels of volumes that someone else created, by name. */
  volumeLabels: Map<string, Record<string, string>>
  /** The volumes that have files. */
  filled: Set<string>
  /** The volumes that the tasks' containers mount, by the id of the task. */
  mounted: Map<string, string[]>
  /** Someone else's running containers that mount a volume: their names and the names of the volumes. */
  foreignContainers: Map<string, string>
  /** Which Berth process is in charge; null: none. */
  charge: FoundCharge | null
  /** The marks of data, by `<volume>:<folder in it>`. */
  marks: Map<string, string>
  /** Where symbolic links in containers lead, by their path. */
  links: Map<string, string>
  behaviours: Map<string, Behaviour>
  /** Ids of containers that were disconnected from the network. */
  detached: Set<string>
  /** Ids of tasks that ended for lack of memory. */
  outOfMemory: Set<string>
  isPresent(image: string): boolean
  emit(event: EngineEvent): void
  now(): Date
  nextNumber(): number
}

export function newRuntime(parts: Pick<Runtime, 'installationId' | 'nodeId' | 'isPresent' | 'emit' | 'now'>): Runtime {
  let last = 0
  return {
    ...parts,
    services: new Map(),
    removed: new Set(),
    nodes: new Map([[parts.nodeId, newNode(parts.nodeId)]]),
    lingering: new Set(),
    volumes: new Set(),
    homes: new Map(),
    volumeLabels: new Map(),
    filled: new Set(),
    mounted: new Map(),
    foreignContainers: new Map(),
    charge: null,
    marks: new Map(),
    links: new Map(),
    behaviours: new Map(),
    outOfMemory: new Set(),
    detached: new Set(),
    nextNumber: () => ++last,
  }
}

/** Copies a plain value. structuredClone takes ten times as long and copies each string. */
export function copyOf<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyOf) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copyOf(field)])) as T
}

/** The engine's own node. */
function newNode(id: string): FoundNode {
  return {
    id,
    hostname: 'memory',
    address: '192.0.2.10',
    role: 'manager',
    availability: 'active',
    state: 'ready',
    ready: true,
    active: true,
    local: true,
    manager: { leader: true, reachable: true },
    engineVersion: '20.10.0',
    cpuCores: 4,
    memoryBytes: 8 * 1024 ** 3,
    labels: {},
  }
}

/** The volumes, the node and the number of tasks of a specification. */
export const placementOf = ({ mounts, nodeId, replicas }: ServiceSpec) => ({
  volumes: mounts.flatMap(({ type, name }) => (type === 'volume' ? [name] : [])),
  nodeId,
  replicas,
})

/** The service that the engine reports for a specification. */
export function observedService(runtime: Runtime, id: string, spec: ServiceSpec): FoundService {
  const digest = digestOf(spec)
  const labels = { ...spec.labels, [installationLabel]: runtime.installationId, [digestLabel]: digest }
  const published = spec.ports.map(({ published: port, protocol }) => ({ port, protocol }))
  return {
    id,
    name: spec.name,
    labels,
    digest,
    createdAt: runtime.now().toISOString(),
    published,
    onNetwork: true,
    ...placementOf(spec),
    running: 0,
    image: spec.image,
  }
}
