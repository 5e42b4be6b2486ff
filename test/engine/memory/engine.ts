/**
 * The in-memory engine: implements the Engine interface without Docker, for fast tests. test/engine/suite.ts verifies
 * that it behaves like the Docker engine. Tests control what containers do, for example with behave().
 */
import { createHash } from 'node:crypto'
import type { Exec } from '../../../src/engine/exec.ts'
import { parseImage, repositoryOf } from '../../../src/lib/text/image-reference.ts'
import { EngineFailure, EngineUnavailable } from '../../../src/engine/engine.ts'
import type {
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
import { jobsIn } from './jobs.ts'
import type { Jobs, Program } from './jobs.ts'
import { usageOf, voicesIn } from './logs.ts'
import type { Voices } from './logs.ts'
import { checkReached, endLingering, nodesIn, put, take } from './nodes.ts'
import type { NodePatch } from './nodes.ts'
import {
  addresses,
  allServices,
  alter,
  behave,
  create,
  dataMark,
  detach,
  detached,
  hasVolume,
  live,
  loseVolume,
  namedServices,
  putForeign,
  remove,
  removeVolume,
  replaceTask,
  takeForeign,
  tasksNamed,
  update,
} from './services.ts'
import { checkContainer } from './tasks.ts'
import { newRuntime } from './state.ts'
import type { Behaviour, Runtime } from './state.ts'
import type { ServiceSpec } from '../../../src/engine/spec.ts'

export interface MemoryEngine extends Engine {
  /** Sets what the tasks of a service do from now on. The service need not exist yet. Default: they run. */
  behave(serviceName: string, how: Behaviour): void
  /** The outcome of a program in a container. */
  answer: (task: FoundTask, program: Exec) => Outcome | Promise<Outcome>
  /** The program of every job. */
  onJob: Program
  /** Adds the container of a job that an earlier Berth process left. */
  leaveJob(name: string, recordId: string): void
  /** Adds someone else's container. */
  putForeignContainer(name: string): void
  /** The metadata of an image; null: the image is missing, and its tasks are rejected. */
  images: (reference: string) => ImageFound | null
  /** Called before an image is pulled. Throws to simulate an error of the registry; the result comes from `images`. */
  onPull: (reference: string) => void
  /** The credentials with which images are pulled. */
  credentialsFor: CredentialsFor
  /** The credentials in the last create or update of a service or the last start of a job, by its name. */
  readonly pullsAs: ReadonlyMap<string, RegistryCredentials | null>
  /** The last log lines in exit reports, by service name. */
  readonly lastLines: Map<string, string[]>
  /** Prints a line in a container of the service. */
  say(serviceName: string, line: string, stream?: LogLine['stream']): void
  /** The number of log followers. */
  listeners(): number
  /** Changes to the default resource usage of a task's container. */
  usage: (task: FoundTask) => Partial<Usage>
  /** While the engine is down, every call is rejected. Going down breaks every watch, log and job. */
  setDown(down: boolean): void
  /** The number of calls of each method. */
  readonly calls: Record<keyof Engine, number>
  /** The current specification of one of Berth's services. */
  specOf(serviceName: string): ServiceSpec | null
  readonly volumes: ReadonlySet<string>
  /** The marks of data, by `<volume>:<folder in it>`. A different mark stands for different data. */
  readonly marks: Map<string, string>
  /** Adds a volume that an earlier Berth process left. */
  putVolume(name: string): void
  /** Removes a volume as someone else would, even if it is in use. */
  loseVolume(name: string): void
  /** Ends the container of a service; the swarm starts another one. */
  replaceTask(serviceName: string): void
  /** Changes one of Berth's services as someone else would. */
  alter(serviceName: string, more: Partial<ServiceSpec>): void
  /** Disconnects the service's containers from the network. They continue to run. */
  detach(serviceName: string): void
  /** Adds a worker that otherwise equals the first node, with the changes of `how`. */
  addNode(id: string, how?: NodePatch): void
  /** Changes a node without a request from Berth. */
  setNode(id: string, how: NodePatch): void
  /** Removes a node as someone else would. */
  takeNode(id: string): void
  /** While `isOn`, containers on the node do not end. */
  linger(nodeId: string, isOn: boolean): void
  /** Emits an event. */
  tell(event: EngineEvent): void
  /** Adds someone else's service, or changes it. */
  putForeign(name: string, more?: Partial<FoundService>): void
  /** Removes someone else's service. */
  takeForeign(name: string): void
}

/** The answers that a test sets. */
interface Answers {
  answer: MemoryEngine['answer']
  onJob: Program
  images: MemoryEngine['images']
  onPull: MemoryEngine['onPull']
  credentialsFor: CredentialsFor
  lastLines: Map<string, string[]>
  usage: MemoryEngine['usage']
}

interface Watcher {
  onEvent(event: EngineEvent): void
  breakOff(error: Error): void
}

const localNode = 'node1'

/** @param now the clock of the swarm; a test that sets Berth's clock passes the same one */
export function memoryEngine(installationId: string, now: () => Date = advancingClock()): MemoryEngine {
  const watchers = new Set<Watcher>()
  const answers: Answers = {
    answer: () => ({ exitCode: 0, stdout: '', stderr: '' }),
    onJob: async () => 0,
    images: anyImage,
    onPull: () => {},
    credentialsFor: async () => null,
    lastLines: new Map(),
    usage: () => ({}),
  }
  const runtime = newRuntime({
    installationId,
    nodeId: localNode,
    now,
    isPresent: (reference) => answers.images(reference) !== null,
    emit: (event) => {
      if (event.action === 'remove') voices.hush(event.serviceName)
      for (const it of watchers) it.onEvent(event)
    },
  })
  const voices = voicesIn(runtime)
  const jobs = jobsIn(runtime, () => answers.onJob)
  const pullsAs = new Map<string, RegistryCredentials | null>()
  const methods = withCredentials(methodsOf(runtime, answers, watchers, voices, jobs), runtime, answers, pullsAs)
  const calls = Object.fromEntries(Object.keys(methods).map((name) => [name, 0])) as Record<keyof Engine, number>
  let isDown = false
  return Object.assign(
    answers,
    countCalls(methods, calls, () => isDown),
    {
      ...controlsOf(runtime),
      calls,
      pullsAs,
      say: voices.say,
      listeners: voices.count,
      leaveJob: jobs.leave,
      putForeignContainer: jobs.putForeign,
      addNode: (id: string, how: NodePatch = {}) => {
        const role = { role: 'worker', manager: null } as const
        runtime.nodes.set(id, { ...runtime.nodes.get(localNode)!, ...role, id, hostname: id, local: false })
        put(runtime, id, how)
      },
      setNode: (id: string, how: NodePatch) => put(runtime, id, how),
      takeNode: (id: string) => take(runtime, id),
      linger: (nodeId: string, isOn: boolean) => {
        if (isOn) runtime.lingering.add(nodeId)
        else endLingering(runtime, nodeId)
      },
      tell: (event: EngineEvent) => runtime.emit(event),
      putForeign: (name: string, more?: Partial<FoundService>) => putForeign(runtime, name, more),
      takeForeign: (name: string) => takeForeign(runtime, name),
      setDown: (down: boolean) => {
        isDown = down
        if (!down) return
        for (const it of watchers) it.breakOff(noAnswer())
        voices.hush(null, noAnswer())
        jobs.breakOff(noAnswer())
      },
    },
  )
}

/** Every image exists except no-such-... An image whose name has a registry has a digest. */
export function anyImage(reference: string): ImageFound | null {
  if (reference.startsWith('no-such')) return null
  const hash = `sha256:${createHash('sha256').update(reference).digest('hex')}`
  const digest = parseImage(reference)?.registry == null ? null : `${repositoryOf(reference)}@${hash}`
  return { id: reference.startsWith('sha256:') ? reference : hash, digest, architecture: 'amd64', env: [] }
}

/** A clock that advances by one millisecond at each reading. */
function advancingClock(): () => Date {
  let ms = Date.UTC(2026, 0, 1)
  return () => new Date(++ms)
}

function methodsOf(runtime: Runtime, answers: Answers, watchers: Set<Watcher>, voices: Voices, jobs: Jobs): Engine {
  return {
    ping: async () => {},
    prepare: async () => {},
    ...nodesIn(runtime),
    services: async () => allServices(runtime),
    servicesNamed: async (names) => namedServices(runtime, names),
    tasks: async (names) => tasksNamed(runtime, names),
    createService: async (spec) => create(runtime, spec),
    updateService: async (spec) => update(runtime, spec),
    renewCredentials: async () => {},
    removeService: async (name) => remove(runtime, name),
    detached: async () => detached(runtime),
    hostAddresses: async () => addresses(runtime),
    liveContainers: async (serviceName) => live(runtime, serviceName),
    removeVolume: async (name, nodeId) => removeVolume(runtime, name, nodeId),
    hasVolume: async (name, nodeId) => hasVolume(runtime, name, nodeId),
    dataMark: async (task, folder, fresh) => dataMark(runtime, task, folder, fresh),
    run: async (task, program, timeoutMs) => {
      checkContainer(runtime, task)
      return inTime(Promise.resolve(answers.answer(task, program)), timeoutMs)
    },
    runJob: jobs.run,
    listJobs: async () => jobs.list(),
    removeJob: jobs.remove,
    exitReport: async (task) => ({
      exitCode: task.exitCode,
      outOfMemory: runtime.outOfMemory.has(task.id),
      lastLines: task.containerId ? (answers.lastLines.get(task.serviceName) ?? []) : [],
    }),
    logs: async (serviceName, options, signal) => voices.logs(serviceName, options, signal),
    stats: async (task) => {
      checkReached(runtime, task.nodeId)
      return usageOf(runtime, task, answers.usage)
    },
    diskUsage: async (task, path) => {
      checkReached(runtime, task.nodeId)
      return (await answers.answer(task, { argv: ['du', '-sk', path], env: {} })).stdout
    },
    image: async (reference) => answers.images(reference),
    pullImage: async (reference) => {
      answers.onPull(reference)
      const image = answers.images(reference)
      if (image === null) throw new EngineFailure('missing', `pull access denied for ${reference}`)
      return image.digest
    },
    watch: (onEvent, signal) => watch(watchers, onEvent, signal),
  }
}

/** The methods with which a test reads and changes services and volumes, as someone else would. */
const controlsOf = (runtime: Runtime) => ({
  volumes: runtime.volumes,
  marks: runtime.marks,
  putVolume: (name: string) => void runtime.volumes.add(name),
  loseVolume: (name: string) => loseVolume(runtime, name),
  replaceTask: (serviceName: string) => replaceTask(runtime, serviceName),
  behave: (serviceName: string, how: Behaviour) => behave(runtime, serviceName, how),
  specOf: (serviceName: string) => runtime.services.get(serviceName)?.spec ?? null,
  alter: (serviceName: string, more: Partial<ServiceSpec>) => alter(runtime, serviceName, more),
  detach: (serviceName: string) => detach(runtime, serviceName),
})

/** Looks up credentials where the Docker engine does, and records them after a successful call. */
function withCredentials(
  methods: Engine,
  runtime: Runtime,
  answers: Answers,
  pullsAs: Map<string, RegistryCredentials | null>,
): Engine {
  const recordCredentials = async <T>(
    { name, image }: { name: string; image: string },
    work: () => Promise<T>,
  ): Promise<T> => {
    const credentials = await answers.credentialsFor(image)
    const result = await work()
    pullsAs.set(name, credentials)
    return result
  }
  return {
    ...methods,
    createService: (spec) => recordCredentials(spec, () => methods.createService(spec)),
    updateService: (spec) => recordCredentials(spec, () => methods.updateService(spec)),
    renewCredentials: async (name) => {
      const spec = runtime.services.get(name)?.spec ?? null
      if (spec !== null) await recordCredentials(spec, () => methods.renewCredentials(name))
    },
    runJob: (job, signal) => recordCredentials(job, () => methods.runJob(job, signal)),
    pullImage: (reference, signal) =>
      recordCredentials({ name: reference, image: reference }, () => methods.pullImage(reference, signal)),
  }
}

/** Counts each call, and rejects it while the engine is down. */
function countCalls(methods: Engine, calls: Record<keyof Engine, number>, isDown: () => boolean): Engine {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        calls[name as keyof Engine]++
        if (isDown()) throw noAnswer()
        return (method as (...args: unknown[]) => unknown)(...args)
      },
    ]),
  ) as unknown as Engine
}

function noAnswer(): EngineUnavailable {
  return new EngineUnavailable('The engine does not answer: it is down')
}

async function inTime(outcome: Promise<Outcome>, timeoutMs: number): Promise<Outcome> {
  const { promise: late, resolve } = Promise.withResolvers<Outcome>()
  const outcomeIfLate = { exitCode: 124, stdout: '', stderr: `not done within ${timeoutMs} ms\n` }
  const timer = setTimeout(() => resolve(outcomeIfLate), timeoutMs)
  return Promise.race([outcome, late]).finally(() => clearTimeout(timer))
}

async function watch(watchers: Set<Watcher>, onEvent: Watcher['onEvent'], signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const watcher = { onEvent, breakOff: reject }
  watchers.add(watcher)
  signal.addEventListener('abort', () => resolve(), { once: true })
  onEvent({ serviceName: null, action: 'watching' })
  await promise.finally(() => watchers.delete(watcher))
}
