/** Translates Docker's JSON to the types of the Engine interface. Pure. */
import type { EngineEvent, FoundService, FoundTask, NamedService, TaskState } from '../../engine.ts'
import type { ApiEvent, ApiPort, ApiService, ApiTask } from '../transport/api.ts'
import { isAltered } from './fingerprint.ts'
import { taskFailureOf } from './task-failure.ts'
import { digestLabel, installationLabel } from '../../labels.ts'
import type { Protocol } from '../../spec.ts'

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
const wantedRunning = new Set(['running', 'ready', 'accepted'])
const ended = new Set<TaskState>(['complete', 'failed', 'shutdown'])

export function namedFrom(it: ApiService): NamedService {
  const labels = it.Spec.Labels ?? {}
  const isUnaltered = labels[installationLabel] !== undefined && !isAltered(it.Spec)
  const digest = isUnaltered ? (labels[digestLabel] ?? null) : null
  return { id: it.ID, name: it.Spec.Name, labels, digest }
}

/** @param networkNames the name and the id of Berth's network */
export function serviceFrom(it: ApiService, networkNames: ReadonlySet<string>): FoundService {
  const { TaskTemplate, EndpointSpec, Mode, Networks } = it.Spec
  return {
    ...namedFrom(it),
    createdAt: it.CreatedAt,
    published: portsFrom([...(EndpointSpec?.Ports ?? []), ...(it.Endpoint?.Ports ?? [])]),
    onNetwork: [...(TaskTemplate.Networks ?? []), ...(Networks ?? [])].some(({ Target }) =>
      networkNames.has(Target ?? ''),
    ),
    replicas: it.ServiceStatus?.DesiredTasks ?? Mode?.Replicated?.Replicas ?? 0,
    running: it.ServiceStatus?.RunningTasks ?? 0,
  }
}

/** Requested and assigned ports, each once. A port that the swarm has not chosen yet is 0 and is left out. */
function portsFrom(ports: ApiPort[]): FoundService['published'] {
  const published = ports.flatMap(({ PublishedPort = 0, Protocol = 'tcp' }) =>
    PublishedPort > 0 && isProtocol(Protocol) ? [{ port: PublishedPort, protocol: Protocol }] : [],
  )
  return [...new Map(published.map((it) => [`${it.port}/${it.protocol}`, it])).values()]
}

function isProtocol(name: string): name is Protocol {
  return name === 'tcp' || name === 'udp'
}

export function taskFrom(it: ApiTask, serviceName: string, networkName: string): FoundTask {
  const state = states[it.Status.State] ?? 'new'
  const container = it.Status.ContainerStatus
  const attachment = it.NetworksAttachments?.find(({ Network }) => Network.Spec.Name === networkName)
  return {
    id: it.ID,
    serviceName,
    state,
    desired: wantedRunning.has(it.DesiredState) ? 'running' : 'shutdown',
    failure: taskFailureOf(errorOf(state, it.Status)),
    exitCode: ended.has(state) && container?.ContainerID ? (container.ExitCode ?? 0) : null,
    containerId: container?.ContainerID || null,
    nodeId: it.NodeID || null,
    address: attachment?.Addresses?.[0]?.replace(/\/\d+$/, '') ?? null,
    digest: it.Spec.ContainerSpec?.Labels?.[digestLabel] ?? null,
    createdAt: it.CreatedAt,
    updatedAt: it.UpdatedAt,
  }
}

/** `Message` is mostly the name of a step. It is used only if the task failed and `Err` is empty. */
function errorOf(state: TaskState, status: ApiTask['Status']): string {
  if (state === 'pending') return status.Err ?? ''
  const isFailed = state === 'failed' || state === 'rejected' || state === 'orphaned'
  return isFailed ? status.Err || status.Message || '' : ''
}

const over = new Set(['complete', 'failed', 'rejected', 'shutdown', 'orphaned', 'remove'])

export const hasEnded = ({ Status }: ApiTask): boolean => over.has(Status.State)

/** Whether the task's container was created, or the task has ended without one. */
export const hasBegun = (it: ApiTask): boolean => hasEnded(it) || ['starting', 'running'].includes(it.Status.State)

/**
 * Compares tasks for sorting, newest first. The engine's times cannot be compared as text, because their nanoseconds
 * lack trailing zeros.
 */
export function newestFirst(a: FoundTask, b: FoundTask): number {
  const byMillisecond = Date.parse(b.createdAt) - Date.parse(a.createdAt)
  return byMillisecond || nanosecondsOf(b.createdAt) - nanosecondsOf(a.createdAt)
}

function nanosecondsOf(time: string): number {
  return Number((/\.(\d+)/.exec(time)?.[1] ?? '').padEnd(9, '0'))
}

export function eventFrom(it: ApiEvent): EngineEvent {
  const attributes = it.Actor.Attributes ?? {}
  const own = it.Type === 'service' ? attributes.name : undefined
  return { serviceName: attributes['com.docker.swarm.service.name'] ?? own ?? null, action: it.Action }
}
