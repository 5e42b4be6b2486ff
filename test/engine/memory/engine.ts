/**
 * The engine that only remembers: the same interface without Docker, for tests that are to be quick.
 * One suite (test/engine/suite.ts) holds it to what the real one does. What a container does is told to it: behave().
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
  /** What the tasks of a service do from now on, whether it exists yet or not. Without: they run. */
  behave(serviceName: string, how: Behaviour): void
  /** What a program in a container answers. */
  answer: (task: FoundTask, program: Exec) => Outcome | Promise<Outcome>
  /** What a job does, and its exit code. */
  onJob: Program
  /** Leaves the container of a job there, as a Berth that ended did. */
  leaveJob(name: string, recordId: string): void
  /** Puts a container of someone else's there. */
  putForeignContainer(name: string): void
  /** What is known of an image; null: it is missing, and tasks of it are rejected. */
  images: (reference: string) => ImageFound | null
  /** Comes before an image is pulled, which then is what `images` says; throws what the registry would say. */
  onPull: (reference: string) => void
  /** Whom images are pulled as. */
  credentialsFor: CredentialsFor
  /** Whom the last create or update of a service, or the last start of a job, said to pull as, by its name. */
  readonly pullsAs: ReadonlyMap<string, RegistryCredentials | null>
  /** The last log lines of a service's containers, by its name. */
  readonly lastLines: Map<string, string[]>
  /** A container of the service prints a line. */
  say(serviceName: string, line: string, stream?: LogLine['stream']): void
  /** How many follow logs. */
  listeners(): number
  /** What the container of a task uses, where it is not as always. */
  usage: (task: FoundTask) => Partial<Usage>
  /** While down every call is rejected; going down breaks every watch, log and job off. */
  setDown(down: boolean): void
  /** How often each method was called. */
  readonly calls: Record<keyof Engine, number>
  /** Of a service of ours, as it is now. */
  specOf(serviceName: string): ServiceSpec | null
  readonly volumes: ReadonlySet<string>
  /** The marks of data, by `<volume>:<folder in it>`: another one is other data. */
  readonly marks: Map<string, string>
  /** Puts a volume there as a Berth of before has left it. */
  putVolume(name: string): void
  /** Takes a volume away as someone else would, whoever uses it. */
  loseVolume(name: string): void
  /** Ends the container of a service, and the swarm starts another one. */
  replaceTask(serviceName: string): void
  /** Changes a service of ours as someone else would. */
  alter(serviceName: string, more: Partial<ServiceSpec>): void
  /** Takes its containers off the network; they run on. */
  detach(serviceName: string): void
  /** Puts another node there, as like the first one as `how` does not say otherwise. */
  addNode(id: string, how?: NodePatch): void
  /** Something becomes of a node that Berth did not ask for. */
  setNode(id: string, how: NodePatch): void
  /** Somebody else removes it. */
  takeNode(id: string): void
  /** Whether containers on that node take their time to end: until it is set to false. */
  linger(nodeId: string, isOn: boolean): void
  /** The engine tells of it. */
  tell(event: EngineEvent): void
  /** Puts a service of someone else's there, or changes what is seen of it. */
  putForeign(name: string, more?: Partial<FoundService>): void
  /** Takes it away again. */
  takeForeign(name: string): void
}

interface Told {
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

/** `now` dates its tasks: a test that sets Berth's clock gives the same one. */
export function memoryEngine(installationId: string, now: () => Date = counting()): MemoryEngine {
  const watchers = new Set<Watcher>()
  const told: Told = {
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
    isPresent: (reference) => told.images(reference) !== null,
    emit: (event) => {
      if (event.action === 'remove') voices.hush(event.serviceName)
      for (const it of watchers) it.onEvent(event)
    },
  })
  const voices = voicesIn(runtime)
  const jobs = jobsIn(runtime, () => told.onJob)
  const pullsAs = new Map<string, RegistryCredentials | null>()
  const methods = pulling(methodsOf(runtime, told, watchers, voices, jobs), runtime, told, pullsAs)
  const calls = Object.fromEntries(Object.keys(methods).map((name) => [name, 0])) as Record<keyof Engine, number>
  let isDown = false
  return Object.assign(
    told,
    counted(methods, calls, () => isDown),
    {
      ...handsOn(runtime),
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

/** Any but no-such-..., which says nothing of itself. Of one that names a registry there is a digest. */
export function anyImage(reference: string): ImageFound | null {
  if (reference.startsWith('no-such')) return null
  const hash = `sha256:${createHash('sha256').update(reference).digest('hex')}`
  const digest = parseImage(reference)?.registry == null ? null : `${repositoryOf(reference)}@${hash}`
  return { id: reference.startsWith('sha256:') ? reference : hash, digest, architecture: 'amd64', env: [] }
}

/** A clock that goes on by one millisecond whenever it is read. */
function counting(): () => Date {
  let ms = Date.UTC(2026, 0, 1)
  return () => new Date(++ms)
}

function methodsOf(runtime: Runtime, told: Told, watchers: Set<Watcher>, voices: Voices, jobs: Jobs): Engine {
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
      return inTime(Promise.resolve(told.answer(task, program)), timeoutMs)
    },
    runJob: jobs.run,
    listJobs: async () => jobs.list(),
    removeJob: jobs.remove,
    exitReport: async (task) => ({
      exitCode: task.exitCode,
      outOfMemory: runtime.outOfMemory.has(task.id),
      lastLines: task.containerId ? (told.lastLines.get(task.serviceName) ?? []) : [],
    }),
    logs: async (serviceName, asked, signal) => voices.logs(serviceName, asked, signal),
    stats: async (task) => {
      checkReached(runtime, task.nodeId)
      return usageOf(runtime, task, told.usage)
    },
    diskUsage: async (task, path) => {
      checkReached(runtime, task.nodeId)
      return (await told.answer(task, { argv: ['du', '-sk', path], env: {} })).stdout
    },
    image: async (reference) => told.images(reference),
    pullImage: async (reference) => {
      told.onPull(reference)
      const found = told.images(reference)
      if (found === null) throw new EngineFailure('missing', `pull access denied for ${reference}`)
      return found.digest
    },
    watch: (onEvent, signal) => watch(watchers, onEvent, signal),
  }
}

/** What a test sees of services and volumes, and does to them as someone else would. */
const handsOn = (runtime: Runtime) => ({
  volumes: runtime.volumes,
  marks: runtime.marks,
  putVolume: (name: string) => void runtime.volumes.add(name),
  loseVolume: (name: string) => loseVolume(runtime, name),
  replaceTask: (serviceName: string) => replaceTask(runtime, serviceName),
  behave: (serviceName: string, how: Behaviour) => behave(runtime, serviceName, how),
  specOf: (serviceName: string) => runtime.held.get(serviceName)?.spec ?? null,
  alter: (serviceName: string, more: Partial<ServiceSpec>) => alter(runtime, serviceName, more),
  detach: (serviceName: string) => detach(runtime, serviceName),
})

/** Asks for credentials where the real engine does, and notes them once it took them. */
function pulling(
  methods: Engine,
  runtime: Runtime,
  told: Told,
  pullsAs: Map<string, RegistryCredentials | null>,
): Engine {
  const asking = async <T>({ name, image }: { name: string; image: string }, work: () => Promise<T>): Promise<T> => {
    const credentials = await told.credentialsFor(image)
    const done = await work()
    pullsAs.set(name, credentials)
    return done
  }
  return {
    ...methods,
    createService: (spec) => asking(spec, () => methods.createService(spec)),
    updateService: (spec) => asking(spec, () => methods.updateService(spec)),
    renewCredentials: async (name) => {
      const spec = runtime.held.get(name)?.spec ?? null
      if (spec !== null) await asking(spec, () => methods.renewCredentials(name))
    },
    runJob: (job, signal) => asking(job, () => methods.runJob(job, signal)),
    pullImage: (reference, signal) =>
      asking({ name: reference, image: reference }, () => methods.pullImage(reference, signal)),
  }
}

/** Counts each call, and rejects it while the engine is down. */
function counted(methods: Engine, calls: Record<keyof Engine, number>, isDown: () => boolean): Engine {
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
