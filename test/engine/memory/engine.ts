/**
 * The in-memory engine: implements the Engine interface without Docker, for fast tests. test/engine/suite.ts verifies
 * that it behaves like the Docker engine. Tests control what containers do, for example with `behave`.
 */
import { createHash } from 'node:crypto'
import { parseImage, repositoryOf } from '../../../src/lib/text/image-reference.ts'
import { EngineFailure, EngineUnavailable } from '../../../src/engine/engine.ts'
import type { ChargeEngine } from '../../../src/engine/charge.ts'
import type { Engine, EngineEvent, ImageFound, Outcome, RegistryCredentials } from '../../../src/engine/engine.ts'
import { type Answers, type Controls, stateControls } from './controls.ts'
import { withCredentials } from './credentials.ts'
import { jobsIn } from './jobs.ts'
import type { Jobs } from './jobs.ts'
import { logsIn, usageOf } from './logs.ts'
import type { Logs } from './logs.ts'
import { checkReached, nodesIn } from './nodes.ts'
import {
  allServices,
  awaitAnswer,
  clear,
  create,
  dataMark,
  dataPlaces,
  detached,
  foundSpec,
  hostAddresses,
  liveContainers,
  namedServices,
  remove,
  tasksNamed,
  update,
} from './services.ts'
import { isVolumeEmpty, ownVolumes, removeVolume, volumeMark, volumeUse } from './volumes.ts'
import { checkContainer } from './tasks.ts'
import { newRuntime } from './state.ts'
import type { Runtime } from './state.ts'

export interface MemoryEngine extends Engine, Controls {}

interface Watcher {
  onEvent(event: EngineEvent): void
  fail(error: Error): void
}

/** @param now the clock of the swarm; a test that sets Berth's clock passes the same clock here */
export function memoryEngine(installationId: string, now: () => Date = tickingClock()): MemoryEngine {
  const watchers = new Set<Watcher>()
  const answers = defaultAnswers()
  const runtime = newRuntime({
    installationId,
    nodeId: 'node1',
    now,
    isPresent: (reference) => answers.images(reference) !== null,
    emit: (event) => {
      if (event.action === 'remove') logs.endFollowers(event.serviceName)
      for (const watcher of watchers) watcher.onEvent(event)
    },
  })
  const logs = logsIn(runtime)
  const jobs = jobsIn(runtime, () => answers.onJob)
  const pullsAs = new Map<string, RegistryCredentials | null>()
  const methods = withCredentials(methodsOf(runtime, answers, watchers, logs, jobs), runtime, answers, pullsAs)
  const calls = Object.fromEntries(Object.keys(methods).map((name) => [name, 0])) as Record<keyof Engine, number>
  let isDown = false
  const setDown = (isDownNow: boolean) => {
    isDown = isDownNow
    if (!isDown) return
    for (const watcher of watchers) watcher.fail(noAnswer())
    logs.endFollowers(null, noAnswer())
    jobs.fail(noAnswer())
  }
  const counted = countCalls(methods, calls, () => isDown)
  return Object.assign(answers, counted, { ...stateControls(runtime, logs, jobs), calls, pullsAs, setDown })
}

const defaultAnswers = (): Answers => ({
  answer: () => ({ exitCode: 0, stdout: '', stderr: '' }),
  onJob: async () => 0,
  images: anyImage,
  onPull: () => {},
  credentialsFor: async () => null,
  lastLines: new Map(),
  usage: () => ({}),
  freeBytes: 16 * 1024 ** 3,
  networks: [
    { name: 'docker_gwbridge', address: '172.18.0.0', prefix: 16 },
    { name: 'ingress', address: '10.0.0.0', prefix: 24 },
  ],
})

/**
 * Every image exists, except images whose name begins with `no-such`. An image has a digest if its name has a registry.
 */
export function anyImage(reference: string): ImageFound | null {
  if (reference.startsWith('no-such')) return null
  const hash = `sha256:${createHash('sha256').update(reference).digest('hex')}`
  const digest = parseImage(reference)?.registry == null ? null : `${repositoryOf(reference)}@${hash}`
  return {
    id: reference.startsWith('sha256:') ? reference : hash,
    digest,
    architecture: 'amd64',
    env: [],
    start: officialStart,
  }
}

/** The entry point of the official images, which takes the arguments of the server. */
export const officialStart = { entrypoint: ['docker-entrypoint.sh'], command: [] }

/** A clock that moves by one millisecond at each reading. */
function tickingClock(): () => Date {
  let ms = Date.UTC(2026, 0, 1)
  return () => new Date(++ms)
}

/** Who is in charge, with the versions of a swarm. */
function chargeIn(runtime: Runtime): ChargeEngine {
  return {
    readCharge: async () => runtime.charge && { ...runtime.charge },
    writeCharge: async (charge, version) => {
      if ((runtime.charge?.version ?? null) !== version) throw new EngineFailure('conflict', 'update out of sequence')
      runtime.charge = { ...charge, version: runtime.nextNumber() }
    },
  }
}

function methodsOf(runtime: Runtime, answers: Answers, watchers: Set<Watcher>, logs: Logs, jobs: Jobs): Engine {
  return {
    ping: async () => {},
    prepare: async () => {},
    containerNetworks: async () => answers.networks,
    availableMemoryBytes: async () => answers.freeBytes,
    ...nodesIn(runtime),
    ...chargeIn(runtime),
    services: async () => allServices(runtime),
    servicesNamed: async (names) => namedServices(runtime, names),
    foundSpec: async (name) => foundSpec(runtime, name),
    tasks: async (names) => tasksNamed(runtime, names),
    tasksOf: async (services) =>
      tasksNamed(
        runtime,
        services.map(({ name }) => name),
      ),
    createService: async (spec) => create(runtime, spec),
    updateService: async (spec) => update(runtime, spec),
    renewCredentials: async () => {},
    removeService: async (name) => remove(runtime, name),
    detached: async () => detached(runtime),
    hostAddresses: async () => hostAddresses(runtime),
    liveContainers: async (serviceName) => liveContainers(runtime, serviceName),
    removeVolume: async (name, nodeId) => removeVolume(runtime, name, nodeId),
    isVolumeEmpty: async (name, nodeId) => isVolumeEmpty(runtime, name, nodeId),
    volumeUse: async (name, nodeId) => volumeUse(runtime, name, nodeId),
    ownVolumes: async (nodeId) => ownVolumes(runtime, nodeId),
    volumeMark: async (name, nodeId, folder) => volumeMark(runtime, name, nodeId, folder),
    dataMark: async (task, folder, fresh) => dataMark(runtime, task, folder, fresh),
    dataPlaces: async (task, paths) => dataPlaces(runtime, task, paths),
    awaitAnswer: async (task) => awaitAnswer(runtime, task),
    clear: async (task, folder, fresh) => clear(runtime, task, folder, fresh),
    run: async (task, program, timeoutMs) => run(runtime, answers, task, program, timeoutMs),
    ask: async (task, program, timeoutMs) => run(runtime, answers, task, program, timeoutMs),
    runJob: jobs.run,
    listJobs: async () => jobs.list(),
    removeJob: jobs.remove,
    exitReport: async (task) => ({
      exitCode: task.exitCode,
      outOfMemory: runtime.outOfMemory.has(task.id),
      lastLines: task.containerId ? (answers.lastLines.get(task.serviceName) ?? []) : [],
    }),
    logs: async (serviceName, options, signal) => logs.read(serviceName, options, signal),
    stats: async (task) => {
      checkReached(runtime, task.nodeId)
      return usageOf(runtime, task, answers.usage)
    },
    diskUsage: async (task, path) => {
      checkReached(runtime, task.nodeId)
      return (await answers.answer(task, { argv: ['du', '-sk', path], env: {} })).stdout
    },
    diskFree: async (task, path) => {
      checkReached(runtime, task.nodeId)
      return (await answers.answer(task, { argv: ['df', '-Pk', path], env: {} })).stdout
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

function run(runtime: Runtime, answers: Answers, ...[task, program, timeoutMs]: Parameters<Engine['run']>) {
  checkContainer(runtime, task)
  return withTimeout(Promise.resolve(answers.answer(task, program)), timeoutMs)
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

/** Returns exit code 124 after the timeout. */
async function withTimeout(outcome: Promise<Outcome>, timeoutMs: number): Promise<Outcome> {
  const { promise: timeout, resolve } = Promise.withResolvers<Outcome>()
  const timedOut = { exitCode: 124, stdout: '', stderr: `Not finished within ${timeoutMs} ms\n` }
  const timer = setTimeout(() => resolve(timedOut), timeoutMs)
  return Promise.race([outcome, timeout]).finally(() => clearTimeout(timer))
}

async function watch(watchers: Set<Watcher>, onEvent: Watcher['onEvent'], signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const watcher = { onEvent, fail: reject }
  watchers.add(watcher)
  signal.addEventListener('abort', () => resolve(), { once: true })
  onEvent({ serviceName: null, action: 'watching', isForeign: false })
  await promise.finally(() => watchers.delete(watcher))
}
