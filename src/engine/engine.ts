/**
 * The interface to the container engine of a cluster. It has two implementations: Docker Swarm (docker/engine.ts) and
 * an in-memory engine for tests (test/engine/memory/engine.ts). test/engine/suite.ts runs against both.
 */
import type { Network } from '../lib/net/networks.ts'
import type { ChargeEngine } from './charge.ts'
import type { ClearanceEngine } from './data/clearance.ts'
import type { DataPlace } from './data/data-places.ts'
import type { VolumeSearchEngine } from './data/volume-search.ts'
import type { Exec } from './exec.ts'
import type { TaskFailure } from './failures.ts'
import type { ImageFound } from './image.ts'
import type { FoundJob, Job, RunningJob } from './job.ts'
import type { NodeEngine } from './node.ts'
import type { FoundSpec, Protocol, ServiceSpec } from './spec.ts'

export { EngineFailure, EngineUnavailable } from './failures.ts'
export type { FoundNode } from './node.ts'
export type { ImageFound, ImageStart } from './image.ts'

/** A service without its ports and task counts. The engine returns these fields quickly. */
export interface NamedService {
  id: string
  name: string
  labels: Record<string, string>
  /**
   * The digest of the specification that Berth set. Null if Berth did not create the service or someone else changed
   * it.
   */
  digest: string | null
  /** The names of the volumes that the service's containers mount. */
  volumes: string[]
  /** The node that the service is pinned to; null if it is not pinned to one. */
  nodeId: string | null
  /** The number of tasks that the swarm wants. */
  replicas: number
}

/** A live container that mounts a volume. */
export interface VolumeContainer {
  name: string
  /** The name and the id of its service, which may be removed by now. Null if no service created the container. */
  service: { name: string; id: string } | null
}

/** What the engine knows about the use of a volume on a node. */
export interface VolumeUse {
  /** Whether the node has the volume. */
  exists: boolean
  /** The labels of the volume; empty if the node does not have it. */
  labels: Record<string, string>
  /** The services that mount the volume and may run on the node, of any installation. They may have no tasks. */
  services: NamedService[]
  /** The live containers on the node that mount the volume, also those that Berth did not create. */
  containers: VolumeContainer[]
}

/**
 * A service with its ports and task counts. The engine needs time to count tasks. Therefore use NamedService where the
 * counts are not needed.
 */
export interface FoundService extends NamedService {
  createdAt: string
  /**
   * The published TCP and UDP ports, in host mode or on the ingress mesh. Excludes ports that the swarm still has to
   * choose.
   */
  published: { port: number; protocol: Protocol }[]
  /** Whether the service's tasks are attached to Berth's network. */
  onNetwork: boolean
  /** The number of tasks that run. */
  running: number
  /** The image of its containers. */
  image: string
}

export type TaskState =
  | 'new'
  | 'pending'
  | 'preparing'
  | 'starting'
  | 'running'
  | 'complete'
  | 'failed'
  | 'rejected'
  | 'shutdown'
  | 'orphaned'
  | 'remove'

export interface FoundTask {
  id: string
  serviceName: string
  state: TaskState
  /** The state that the swarm wants for this task. */
  desired: 'running' | 'shutdown'
  /** Why the task does not run; null if the engine gives no reason. */
  failure: TaskFailure | null
  exitCode: number | null
  containerId: string | null
  nodeId: string | null
  /** The task's address on Berth's network, without the prefix length. */
  address: string | null
  /** The digest of the container part of the specification that the task was created from. */
  digest: string | null
  createdAt: string
  updatedAt: string
}

/** The exit code and output of a program. */
export interface Outcome {
  exitCode: number
  stdout: string
  stderr: string
}

/** How a container ended. `exitCode` is null if the container runs or its exit code is unknown. */
export interface ExitReport {
  exitCode: number | null
  outOfMemory: boolean
  lastLines: string[]
}

export interface LogLine {
  /** ISO 8601 in UTC with nine fractional digits, so that times sort as text. */
  at: string
  stream: 'stdout' | 'stderr'
  /** The text as printed, including control characters, without the line end. */
  line: string
}

export interface LogOptions {
  /** The number of newest lines to return, at least 1. */
  tail: number
  /** The earliest time to return, in the format of `LogLine.at`; null: from the first line on. */
  since: string | null
  /** Whether to continue with new lines as they are printed. */
  follow: boolean
}

/** The resource usage of a container, measured over about one second. */
export interface Usage {
  cpuCores: number
  /** Memory in use without reclaimable page cache. */
  memoryBytes: number
  /** Null: no limit. */
  memoryLimitBytes: number | null
  startedAt: string
}

export interface EngineEvent {
  /** The name of the swarm service that the event is about; null if unknown. */
  serviceName: string | null
  /** The engine's name of the action. The first event is 'watching', sent once the stream is open. */
  action: string
  /** Whether it is about a network, or about a container that this installation has not created. */
  isForeign: boolean
}

/** The user name and password of an account at a registry. */
export interface RegistryCredentials {
  username: string
  password: string
  /** The name under which the engine knows the registry. */
  serverAddress: string
}

/** Looks up the credentials for the registry of an image; null if there are none. */
export type CredentialsFor = (image: string) => Promise<RegistryCredentials | null>

/** A range of addresses of containers. */
export interface ContainerNetwork extends Network {
  /** The name of the network or of its interface. */
  name: string
}

export interface Engine extends NodeEngine, ChargeEngine, ClearanceEngine, VolumeSearchEngine {
  /** Resolves if the engine answers. */
  ping(): Promise<void>
  /**
   * Creates the swarm and Berth's attachable network if they are missing. Removes temporary objects that earlier Berth
   * processes left in the swarm. Idempotent.
   */
  prepare(): Promise<void>
  /** Returns the engine's networks of containers on its own node: bridges and overlays, one entry for each range. */
  containerNetworks(): Promise<ContainerNetwork[]>
  /** The memory of the engine's own node, in bytes, that a new program can use without taking it from other programs. */
  availableMemoryBytes(): Promise<number>
  /** Returns all services of the swarm, including services that Berth did not create. */
  services(): Promise<FoundService[]>
  /** Returns the existing services with these names, in one call. */
  servicesNamed(names: string[]): Promise<NamedService[]>
  /** Returns how a service of this installation runs its containers; null if there is no such service. */
  foundSpec(name: string): Promise<FoundSpec | null>
  /**
   * Returns tasks, newest first. With `names`: all tasks of these services. Without `names`: the tasks that the swarm
   * wants running, of all services of this installation.
   */
  tasks(names?: string[]): Promise<FoundTask[]>
  /** Does what `tasks` does, with one call, for services that `servicesNamed` has just returned. */
  tasksOf(services: readonly NamedService[]): Promise<FoundTask[]>
  /** Throws EngineFailure `conflict` if the name is taken. */
  createService(spec: ServiceSpec): Promise<void>
  /** Replaces the specification of a service. Reads the service again and retries after a concurrent update. */
  updateService(spec: ServiceSpec): Promise<void>
  /**
   * Replaces the registry credentials that the swarm uses to pull the service's image. Running containers are not
   * affected. Does nothing if the service does not exist or belongs to another installation.
   */
  renewCredentials(serviceName: string): Promise<void>
  /** Removes a service. Succeeds if the service does not exist. */
  removeService(name: string): Promise<void>
  /**
   * Returns the ids of Berth's running containers on the engine's own node that are not attached to Berth's network.
   */
  detached(): Promise<ReadonlySet<string>>
  /**
   * Returns the IPv4 addresses at which this machine reaches the swarm's containers on the engine's own node, by
   * container id.
   */
  hostAddresses(): Promise<ReadonlyMap<string, string>>
  /** Returns the names of a service's containers that may still run, including containers on nodes that are down. */
  liveContainers(serviceName: string): Promise<string[]>
  /**
   * Removes a volume. Succeeds if the volume does not exist. Throws EngineFailure `conflict` if the volume is in use,
   * and `nodeMissing` or `nodeUnreachable` if its node cannot be used.
   */
  removeVolume(name: string, nodeId: string): Promise<void>
  /**
   * Returns whether the node has a volume of this name, and who mounts it. Throws EngineFailure `nodeUnreachable` or
   * `nodeMissing`.
   */
  volumeUse(name: string, nodeId: string): Promise<VolumeUse>
  /**
   * Returns the mark of the data in a folder of the task's container. The mark is a short text in a file in the data
   * folder. The mark is deleted with the data. If there is no mark, `fresh` is written, synced to disk and
   * returned; if `fresh` is null, the result is null. The task may still be in the state `starting`.
   */
  dataMark(task: FoundTask, folder: string, fresh: string | null): Promise<string | null>
  /**
   * Returns where files and folders in the task's container are. A path with `*` stands for the symbolic links that it
   * matches. Throws EngineFailure if the container cannot be read.
   * @param paths absolute paths
   */
  dataPlaces(task: FoundTask, paths: string[]): Promise<DataPlace[]>
  /**
   * Runs a program and waits at most `timeoutMs` for its end. Exit code 124 means a timeout. The program runs in the
   * task's container, or in a job of the same image if the container is on another node. Therefore the program may
   * depend only on the container's image and network.
   */
  run(task: FoundTask, program: Exec, timeoutMs: number): Promise<Outcome>
  /** Does the same as `run`, for a program that changes nothing. Works also while a restored state is unconfirmed. */
  ask(task: FoundTask, program: Exec, timeoutMs: number): Promise<Outcome>
  /**
   * Runs a program in a new container on Berth's network and on the engine's own node. Pulls a missing image. Removes a
   * container of the same name that an earlier Berth process left. Throws EngineFailure `conflict` if someone else's
   * container has the name or a job of this name is running. Resolves when the program has started. Aborting the signal
   * stops the job at any time, also before the program has started.
   */
  runJob(job: Job, signal: AbortSignal): Promise<RunningJob>
  /** Returns this installation's jobs that still have a container. */
  listJobs(): Promise<FoundJob[]>
  /**
   * Kills and removes a job. Succeeds if the job does not exist. Throws EngineFailure `conflict` if the container is
   * not one of Berth's jobs.
   */
  removeJob(name: string): Promise<void>
  /** Returns how the task's container ended. If the container was removed, the report may have only the exit code. */
  exitReport(task: FoundTask): Promise<ExitReport>
  /**
   * Returns the log lines of a service's containers, oldest first. Includes ended containers that the engine has not
   * removed. With `follow` the iteration continues until the signal is aborted or the service is removed. A service
   * that does not exist or belongs to another installation has no lines. The promise settles when the engine has
   * accepted the request. The iteration throws later failures.
   */
  logs(serviceName: string, options: LogOptions, signal: AbortSignal): Promise<AsyncIterable<LogLine>>
  /** Measures a container. Throws EngineFailure `missing` if the container was removed, `conflict` if it has ended. */
  stats(task: FoundTask): Promise<Usage>
  /** Returns the output of `du -sk` for a mount of the task's container. `path` is the path inside the container. */
  diskUsage(task: FoundTask, path: string): Promise<string>
  /** Returns the output of `df -Pk` for a mount of the task's container. `path` is the path inside the container. */
  diskFree(task: FoundTask, path: string): Promise<string>
  /** Returns the metadata of an image; null if the image is not on the engine's own node. */
  image(reference: string): Promise<ImageFound | null>
  /**
   * Pulls an image to the engine's own node, even if the node has an image of this name. Returns the image as
   * `name@sha256:...`, or null if the engine does not report the digest. Throws EngineFailure with the engine's message
   * on failure.
   */
  pullImage(reference: string, signal: AbortSignal): Promise<string | null>
  /**
   * Calls `onEvent` for events of services, containers, nodes and networks until the signal is aborted. Throws
   * EngineUnavailable if the stream breaks.
   */
  watch(onEvent: (event: EngineEvent) => void, signal: AbortSignal): Promise<void>
}
