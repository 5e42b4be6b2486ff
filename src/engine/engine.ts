/**
 * What Berth asks of a cluster's engine. Two implementations: Docker Swarm (docker.ts) and a remembering one
 * for tests (memory.ts); one suite keeps them equal. Knows neither the store nor any operation.
 */
import type { Exec } from './exec.ts'
import type { TaskFailure } from './failures.ts'
import type { FoundJob, Job, RunningJob } from './job.ts'
import type { NodeEngine } from './node.ts'
import type { Protocol, ServiceSpec } from './spec.ts'

export { EngineFailure, EngineUnavailable } from './failures.ts'
export type { FoundNode } from './node.ts'

export interface NamedService {
  id: string
  name: string
  labels: Record<string, string>
  /** The digest of the specification that Berth gave it; null for a foreign one, and where someone changed it since. */
  digest: string | null
}

/** With all that the swarm knows of it; counting tasks costs the engine something. */
export interface FoundService extends NamedService {
  createdAt: string
  /** Every port that it holds, on its nodes or on the mesh; one of the swarm's own choice once it was chosen. */
  published: { port: number; protocol: Protocol }[]
  /** Its tasks are on Berth's network. */
  onNetwork: boolean
  /** How many tasks the swarm wants of it, and how many of these run. */
  replicas: number
  running: number
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
  /** What the swarm wants of this task. */
  desired: 'running' | 'shutdown'
  /** Why the task does not run; null where the engine does not say. */
  failure: TaskFailure | null
  exitCode: number | null
  containerId: string | null
  nodeId: string | null
  /** Its address on Berth's network, without the prefix length. */
  address: string | null
  /** The digest of the container part of the specification it was made from. */
  digest: string | null
  createdAt: string
  updatedAt: string
}

export interface Outcome {
  exitCode: number
  stdout: string
  stderr: string
}

/** Why a container ended. */
export interface ExitReport {
  exitCode: number | null
  outOfMemory: boolean
  lastLines: string[]
}

export interface LogLine {
  /** ISO 8601 in UTC with nine digits of a second: sorts as text. */
  at: string
  stream: 'stdout' | 'stderr'
  /** Without its end. Whatever the container printed: control characters too. */
  line: string
}

export interface LogsAsked {
  /** So many of the newest lines, at least 1. */
  tail: number
  /** As `at` of a line: nothing from before; null: from the first line on. */
  since: string | null
  /** Goes on with the lines to come. */
  follow: boolean
}

/** What a container uses, measured over about a second. */
export interface Usage {
  cpuCores: number
  /** Without the page cache that can be dropped. */
  memoryBytes: number
  /** Null: none. */
  memoryLimitBytes: number | null
  startedAt: string
}

export interface EngineEvent {
  /** The swarm service it is about, by name where known. */
  serviceName: string | null
  /** The engine's word for it; 'watching' comes first, once the stream is open. */
  action: string
}

/** What a registry lets in by. */
export interface RegistryCredentials {
  username: string
  password: string
  /** The name that the engine knows the registry by. */
  serverAddress: string
}

/** Those of the registry that an image is on; null: there are none. */
export type CredentialsFor = (image: string) => Promise<RegistryCredentials | null>

export interface ImageFound {
  /** The engine's own name for it, `sha256:...`: another image never has it. */
  id: string
  /** `name@sha256:...` in the repository that was asked for; null where its registry never named it. */
  digest: string | null
  architecture: string
  /** `NAME=value`, as the image declares it. */
  env: string[]
}

export interface Engine extends NodeEngine {
  /** Answers when the engine does. */
  ping(): Promise<void>
  /** Makes the swarm and Berth's attachable network where they are missing. Idempotent. */
  prepare(): Promise<void>
  /** All services of the swarm, foreign ones too. */
  services(): Promise<FoundService[]>
  /** Those of these names that exist: one call, however many. */
  servicesNamed(names: string[]): Promise<NamedService[]>
  /** Tasks of the named services, newest first; of all of Berth's that are wanted running where no names are given. */
  tasks(names?: string[]): Promise<FoundTask[]>
  /** Throws EngineFailure `conflict` where the name is taken. */
  createService(spec: ServiceSpec): Promise<void>
  /** Reads the service again and retries when another writer was first. */
  updateService(spec: ServiceSpec): Promise<void>
  /**
   * Tells the swarm anew whom the service's image is pulled as; its containers go on. Done when it is gone already, or
   * is none of this installation's.
   */
  renewCredentials(serviceName: string): Promise<void>
  /** Done when it is gone already. */
  removeService(name: string): Promise<void>
  /** Ids of those of Berth's containers on the engine's own node that run and are not on its network. */
  detached(): Promise<ReadonlySet<string>>
  /** By which this machine reaches the swarm's containers on the engine's own node: an IPv4 address by their id. */
  hostAddresses(): Promise<ReadonlyMap<string, string>>
  /** Names of the containers of a service that are not known to have ended, those of nodes that are down too. */
  liveContainers(serviceName: string): Promise<string[]>
  /** Done when it is gone already; EngineFailure `conflict` while in use, `nodeMissing`, `nodeUnreachable`. */
  removeVolume(name: string, nodeId: string): Promise<void>
  /** Whether the node has a volume of this name. Throws EngineFailure `nodeUnreachable` or `nodeMissing`. */
  hasVolume(name: string, nodeId: string): Promise<boolean>
  /**
   * The mark of the data in a folder of the task's container: a short text in a file that lies among the data, and is
   * lost with it. Null where there is none, unless `fresh` is a text: that is written then, is on the disk, and is the
   * answer. The container may still be starting.
   */
  dataMark(task: FoundTask, folder: string, fresh: string | null): Promise<string | null>
  /**
   * Runs a program that needs nothing but the network, at most `timeoutMs`: inside the task's container, or, where that
   * is on another node, in a job of the same image.
   */
  run(task: FoundTask, program: Exec, timeoutMs: number): Promise<Outcome>
  /**
   * Runs a program once, in a container of its own on Berth's network and the engine's own node. An image that is
   * missing is pulled. A container of the name that an ended Berth left is removed first; `conflict` where the name
   * is someone else's, or such a job is under way. Settles once the program runs; the signal stops it then too.
   */
  runJob(job: Job, signal: AbortSignal): Promise<RunningJob>
  /** This installation's that still have a container. */
  listJobs(): Promise<FoundJob[]>
  /** Kills it where it runs. Done when it is gone already; `conflict` where the name is not one of Berth's own jobs. */
  removeJob(name: string): Promise<void>
  exitReport(task: FoundTask): Promise<ExitReport>
  /**
   * What the service's containers printed, those that ended too as long as the engine keeps them, oldest first. With
   * `follow` it goes on until the signal is aborted or the service is removed. Of a service that is not there, or not
   * this installation's: nothing. Settles once the engine has accepted; later failures come while one iterates.
   */
  logs(serviceName: string, asked: LogsAsked, signal: AbortSignal): Promise<AsyncIterable<LogLine>>
  /** EngineFailure `missing` or `conflict` where the container is gone or does not run. */
  stats(task: FoundTask): Promise<Usage>
  /** What `du -sk` prints of a mount of the task's container, by its path inside. */
  diskUsage(task: FoundTask, path: string): Promise<string>
  /** What the image declares of itself; null where it is not on this node. */
  image(reference: string): Promise<ImageFound | null>
  /**
   * Pulls it to this node, whatever is there. Gives what the registry calls it, `name@sha256:...`; null where the
   * engine does not tell. Throws EngineFailure, in the engine's words, where that fails.
   */
  pullImage(reference: string, signal: AbortSignal): Promise<string | null>
  /** Calls `onEvent` until the signal is aborted; ends with EngineUnavailable when the stream breaks. */
  watch(onEvent: (event: EngineEvent) => void, signal: AbortSignal): Promise<void>
}
