/** Translates Docker's JSON to the types of the Engine interface. Pure. */
import type { EngineEvent, FoundService, FoundTask, NamedService, TaskState, VolumeContainer } from '../../engine.ts'
import type { ApiContainer, ApiEvent, ApiPort, ApiService, ApiServiceSpec, ApiTask } from '../transport/api.ts'
import { isAltered } from './fingerprint.ts'
import { taskFailureOf } from './task-failure.ts'
import { digestLabel, installationLabel, isOwnObject } from '../../labels.ts'
import type { FoundSpec, Mount, Protocol } from '../../spec.ts'
import { unescapeTemplate } from './spec.ts'

/** Maps the swarm's task states to those of Berth. States that Berth does not distinguish share one name. */
const states: Record<string, TaskState> = {
  new: 'new',
  allocated: 'new',
  pending: 'pending',
  assigned: 'pending',
  accepted: 'pending',
  preparing: 'preparing',
  ready: 'preparing',
  starting: 'starting',
  running: 'running',
  complete: 'complete',
  failed: 'failed',
  rejected: 'rejected',
  shutdown: 'shutdown',
  orphaned: 'orphaned',
  remove: 'remove',
}
/** The values of Docker's `DesiredState` that mean that the swarm wants the task to run. */
const runningStates = new Set(['running', 'ready', 'accepted'])
/** The states in which a task has an exit code, if it had a container. */
const exitStates = new Set<TaskState>(['complete', 'failed', 'shutdown'])

export function namedFrom(service: ApiService): NamedService {
  const labels = service.Spec.Labels ?? {}
  const isUnaltered = labels[installationLabel] !== undefined && !isAltered(service.Spec)
  const digest = isUnaltered ? (labels[digestLabel] ?? null) : null
  return {
    id: service.ID,
    name: service.Spec.Name,
    labels,
    digest,
    volumes: volumesOf(service.Spec),
    nodeId: nodeOf(service.Spec),
    replicas: service.Spec.Mode?.Replicated?.Replicas ?? 0,
  }
}

const volumesOf = ({ TaskTemplate }: ApiServiceSpec): string[] =>
  (TaskTemplate.ContainerSpec?.Mounts ?? []).flatMap(({ Type, Source = '' }) =>
    Type === 'volume' && Source !== '' ? [Source] : [],
  )

/** The node that the service is pinned to. Swarm ignores spaces around the operator of a constraint. */
function nodeOf({ TaskTemplate }: ApiServiceSpec): string | null {
  for (const constraint of TaskTemplate.Placement?.Constraints ?? []) {
    const nodeId = /^node\.id\s*==\s*(\S+)$/i.exec(constraint)?.[1]
    if (nodeId !== undefined) return nodeId
  }
  return null
}

/** @param networkNames the name and the id of Berth's network */
export function serviceFrom(service: ApiService, networkNames: ReadonlySet<string>): FoundService {
  const { TaskTemplate, EndpointSpec, Mode, Networks } = service.Spec
  return {
    ...namedFrom(service),
    createdAt: service.CreatedAt,
    published: portsFrom([...(EndpointSpec?.Ports ?? []), ...(service.Endpoint?.Ports ?? [])]),
    onNetwork: [...(TaskTemplate.Networks ?? []), ...(Networks ?? [])].some(({ Target }) =>
      networkNames.has(Target ?? ''),
    ),
    replicas: service.ServiceStatus?.DesiredTasks ?? Mode?.Replicated?.Replicas ?? 0,
    running: service.ServiceStatus?.RunningTasks ?? 0,
    image: TaskTemplate.ContainerSpec?.Image ?? '',
  }
}

/** Reverses `serviceBody` in spec.ts for the parts that a record decides. */
export function specFrom({ TaskTemplate, EndpointSpec }: ApiServiceSpec): FoundSpec {
  const { ContainerSpec, Resources, ForceUpdate = 0 } = TaskTemplate
  const variables = (ContainerSpec?.Env ?? []).map((line) => /^([^=]*)=?([\s\S]*)$/.exec(unescapeTemplate(line))!)
  return {
    image: ContainerSpec?.Image ?? '',
    env: Object.fromEntries(variables.map(([, name, value]) => [name, value])),
    args: ContainerSpec?.Args ?? [],
    mounts: (ContainerSpec?.Mounts ?? []).map(({ Type, Source = '', Target = '' }) => ({
      type: Type as Mount['type'],
      name: unescapeTemplate(Source),
      path: unescapeTemplate(Target),
    })),
    ports: (EndpointSpec?.Ports ?? []).flatMap(({ PublishedPort = 0, TargetPort = 0, Protocol = 'tcp' }) =>
      isProtocol(Protocol) ? [{ published: PublishedPort, target: TargetPort, protocol: Protocol }] : [],
    ),
    memoryLimitBytes: Resources?.Limits?.MemoryBytes ?? null,
    memoryReservationBytes: Resources?.Reservations?.MemoryBytes ?? null,
    cpuLimitNano: Resources?.Limits?.NanoCPUs ?? null,
    cpuReservationNano: Resources?.Reservations?.NanoCPUs ?? null,
    restarts: ForceUpdate,
  }
}

/**
 * Requested and assigned TCP and UDP ports, without duplicates. Excludes ports that the swarm still has to choose;
 * Docker lists them as port 0.
 */
function portsFrom(ports: ApiPort[]): FoundService['published'] {
  const published = ports.flatMap(({ PublishedPort = 0, Protocol = 'tcp' }) =>
    PublishedPort > 0 && isProtocol(Protocol) ? [{ port: PublishedPort, protocol: Protocol }] : [],
  )
  return [...new Map(published.map((it) => [`${it.port}/${it.protocol}`, it])).values()]
}

function isProtocol(name: string): name is Protocol {
  return name === 'tcp' || name === 'udp'
}

export function taskFrom(task: ApiTask, serviceName: string, networkName: string): FoundTask {
  const state = states[task.Status.State] ?? 'new'
  const container = task.Status.ContainerStatus
  const attachment = task.NetworksAttachments?.find(({ Network }) => Network.Spec.Name === networkName)
  return {
    id: task.ID,
    serviceName,
    state,
    desired: runningStates.has(task.DesiredState) ? 'running' : 'shutdown',
    failure: taskFailureOf(errorOf(state, task.Status)),
    exitCode: exitStates.has(state) && container?.ContainerID ? (container.ExitCode ?? 0) : null,
    containerId: container?.ContainerID || null,
    nodeId: task.NodeID || null,
    address: attachment?.Addresses?.[0]?.replace(/\/\d+$/, '') ?? null,
    digest: task.Spec.ContainerSpec?.Labels?.[digestLabel] ?? null,
    createdAt: task.CreatedAt,
    updatedAt: task.UpdatedAt,
  }
}

/**
 * The error of a task; '' if there is none. `Message` counts only if the task failed and `Err` is empty, because
 * `Message` is mostly the name of a step.
 */
function errorOf(state: TaskState, status: ApiTask['Status']): string {
  if (state === 'pending') return status.Err ?? ''
  const isFailed = state === 'failed' || state === 'rejected' || state === 'orphaned'
  return isFailed ? status.Err || status.Message || '' : ''
}

/** Docker's states of tasks that have ended. */
const endStates = new Set(['complete', 'failed', 'rejected', 'shutdown', 'orphaned', 'remove'])

export const hasEnded = ({ Status }: ApiTask): boolean => endStates.has(Status.State)

/** Whether the task's container was created, or the task has ended. */
export const hasBegun = (task: ApiTask): boolean =>
  hasEnded(task) || ['starting', 'running'].includes(task.Status.State)

/**
 * Compares tasks for sorting, newest first. Times of the engine cannot be compared as text, because the engine omits
 * trailing zeros of the nanoseconds.
 */
export function newestFirst(a: FoundTask, b: FoundTask): number {
  const byMillisecond = Date.parse(b.createdAt) - Date.parse(a.createdAt)
  return byMillisecond || nanosecondsOf(b.createdAt) - nanosecondsOf(a.createdAt)
}

function nanosecondsOf(time: string): number {
  return Number((/\.(\d+)/.exec(time)?.[1] ?? '').padEnd(9, '0'))
}

export function volumeContainerFrom({ Names, Labels }: ApiContainer): VolumeContainer {
  const [name, id] = [Labels?.['com.docker.swarm.service.name'], Labels?.['com.docker.swarm.service.id']]
  return {
    name: (Names[0] ?? '').replace(/^\//, ''),
    service: name === undefined || id === undefined ? null : { name, id },
  }
}

/** The attributes of a container have its labels. Those of a service do not. */
export function eventFrom({ Type, Action, Actor }: ApiEvent, installationId: string): EngineEvent {
  const attributes = Actor.Attributes ?? {}
  const ownName = Type === 'service' ? attributes.name : undefined
  return {
    serviceName: attributes['com.docker.swarm.service.name'] ?? ownName ?? null,
    action: Action,
    isForeign: Type === 'network' || (Type === 'container' && !isOwnObject(attributes, installationId)),
  }
}
