/** The controls with which a test sets the answers of the in-memory engine and changes its state. */
import type { Exec } from '../../../src/engine/exec.ts'
import type {
  ContainerNetwork,
  CredentialsFor,
  Engine,
  EngineEvent,
  FoundService,
  FoundTask,
  ImageFound,
  LogLine,
  Outcome,
  RegistryCredentials,
  Usage,
} from '../../../src/engine/engine.ts'
import type { ServiceSpec } from '../../../src/engine/spec.ts'
import type { Jobs, Program } from './jobs.ts'
import type { Logs } from './logs.ts'
import { addNode, endLingering, type NodePatch, put, rejoin, take } from './nodes.ts'
import { alter, behave, detach, putForeign, replaceTask, takeForeign } from './services.ts'
import type { Behaviour, Runtime } from './state.ts'
import { loseVolume } from './volumes.ts'

/** The answers that a test can replace. */
export interface Answers {
  /** Returns the outcome of a program in a container. */
  answer: (task: FoundTask, program: Exec) => Outcome | Promise<Outcome>
  /** The program of every job. */
  onJob: Program
  /** Returns the metadata of an image; null: the image is missing, and its tasks are rejected. */
  images: (reference: string) => ImageFound | null
  /** Called before an image is pulled. Throws to simulate an error of the registry; `images` returns the result. */
  onPull: (reference: string) => void
  /** Looks up the credentials with which images are pulled. */
  credentialsFor: CredentialsFor
  /** The last log lines in exit reports, by service name. */
  readonly lastLines: Map<string, string[]>
  /** The networks of containers. */
  networks: ContainerNetwork[]
  /** The memory of the node that no program uses. */
  freeBytes: number
  /** Returns changes to the default resource usage of a task's container. */
  usage: (task: FoundTask) => Partial<Usage>
}

/** Methods that change services and volumes, and their state. */
interface ServiceControls {
  /** Sets how the tasks of a service behave from now on. The service need not exist yet. Default: the tasks run. */
  behave(serviceName: string, behaviour: Behaviour): void
  /** Returns the current specification of a service of Berth; null: Berth has no service of this name. */
  specOf(serviceName: string): ServiceSpec | null
  readonly volumes: ReadonlySet<string>
  /** The marks of data, by `<volume>:<folder in it>`. A different mark stands for different data. */
  readonly marks: Map<string, string>
  /** Where symbolic links in containers lead, by their path. */
  readonly links: Map<string, string>
  /** Writes a file to a volume, as a server that initializes its data. */
  fillVolume(name: string): void
  /** Adds a volume that an earlier Berth process or somebody else created. */
  putVolume(name: string, labels?: Record<string, string>): void
  /** Runs someone else's container on a volume. */
  runOnVolume(container: string, volume: string): void
  /** Ends a container that `runOnVolume` started. */
  endOnVolume(container: string): void
  /** Removes a volume as someone else would, even if it is in use. */
  loseVolume(name: string): void
  /** Ends the container of a service. The swarm starts another one. */
  replaceTask(serviceName: string): void
  /** Changes one of Berth's services as someone else would. */
  alter(serviceName: string, changes: Partial<ServiceSpec>): void
  /** Disconnects the service's containers from the network. They continue to run. */
  detach(serviceName: string): void
  /** Adds or changes someone else's service. */
  putForeign(name: string, changes?: Partial<FoundService>): void
  /** Removes someone else's service. */
  takeForeign(name: string): void
}

/** Methods that change nodes and emit events. */
interface NodeControls {
  /** Adds a worker that equals the first node except for `changes`. */
  addNode(id: string, changes?: NodePatch): void
  /** Changes a node without a request from Berth. */
  setNode(id: string, changes: NodePatch): void
  /** Removes a node as someone else would. */
  takeNode(id: string): void
  /**
   * Makes the machine of a node leave the swarm and join again with another id. Its volumes stay. For the engine's own
   * node, this makes the swarm anew: all services are gone.
   */
  rejoin(id: string, newId: string): void
  /** Copies a volume to another node, as somebody who clones a machine does. */
  cloneVolume(name: string, nodeId: string): void
  /** While `isOn` is true, containers on the node do not end. */
  linger(nodeId: string, isOn: boolean): void
  emit(event: EngineEvent): void
}

/** Methods that change jobs and logs. */
interface OutputControls {
  /** Adds the container of a job that an earlier Berth process left. */
  leaveJob(name: string, recordId: string): void
  /** Adds someone else's container. */
  putForeignContainer(name: string): void
  /** Prints a line in a container of the service. The default stream is stdout. */
  printLine(serviceName: string, line: string, stream?: LogLine['stream']): void
  /** Returns the number of log followers. */
  listeners(): number
}

/** Controls of the engine as a process. */
interface ProcessControls {
  /** The credentials in the last create or update of a service or the last start of a job, by its name. */
  readonly pullsAs: ReadonlyMap<string, RegistryCredentials | null>
  /** While the engine is down, every call is rejected. Going down breaks every watch, log and job. */
  setDown(isDown: boolean): void
  /** The number of calls of each method. */
  readonly calls: Record<keyof Engine, number>
}

export type StateControls = ServiceControls & NodeControls & OutputControls

export interface Controls extends Answers, ServiceControls, NodeControls, OutputControls, ProcessControls {}

export function stateControls(runtime: Runtime, logs: Logs, jobs: Jobs): StateControls {
  return {
    volumes: runtime.volumes,
    marks: runtime.marks,
    links: runtime.links,
    fillVolume: (name) => void runtime.filled.add(name),
    putVolume(name, labels = {}) {
      runtime.volumes.add(name)
      runtime.volumeLabels.set(name, labels)
    },
    loseVolume: (name) => loseVolume(runtime, name),
    runOnVolume: (container, volume) => {
      runtime.volumes.add(volume)
      runtime.foreignContainers.set(container, volume)
    },
    endOnVolume: (container) => void runtime.foreignContainers.delete(container),
    replaceTask: (serviceName) => replaceTask(runtime, serviceName),
    behave: (serviceName, behaviour) => behave(runtime, serviceName, behaviour),
    specOf: (serviceName) => runtime.services.get(serviceName)?.spec ?? null,
    alter: (serviceName, changes) => alter(runtime, serviceName, changes),
    detach: (serviceName) => detach(runtime, serviceName),
    putForeign: (name, changes) => putForeign(runtime, name, changes),
    takeForeign: (name) => takeForeign(runtime, name),
    addNode: (id, changes) => addNode(runtime, id, changes),
    setNode: (id, changes) => put(runtime, id, changes),
    takeNode: (id) => take(runtime, id),
    rejoin: (id, newId) => rejoin(runtime, id, newId),
    cloneVolume: (name, nodeId) => void runtime.homes.get(name)!.add(nodeId),
    linger: (nodeId, isOn) => {
      if (isOn) runtime.lingering.add(nodeId)
      else endLingering(runtime, nodeId)
    },
    emit: (event) => runtime.emit(event),
    leaveJob: jobs.leave,
    putForeignContainer: jobs.putForeign,
    printLine: logs.print,
    listeners: logs.count,
  }
}
