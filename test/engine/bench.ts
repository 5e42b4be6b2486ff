/** What the engine suite needs of an engine to try it, and the steps that its tests share. Knows no Docker. */
import { once } from 'node:events'
import net from 'node:net'
import type { TestContext } from 'node:test'
import type { Engine, FoundTask } from '../../src/engine/engine.ts'
import type { Job, RunningJob } from '../../src/engine/job.ts'
import type { ServiceSpec } from '../../src/engine/spec.ts'
import { until } from './until.ts'

export interface Bench {
  engine: Engine
  /** Another installation's view of the same swarm. */
  stranger: Engine
  nodeId: string
  /** An image that is there and has a shell. */
  image: string
  /** The same specification, with containers that behave so. */
  behaving(spec: ServiceSpec, how: 'crashes' | 'eats memory'): ServiceSpec
  /** As someone else would: stops a service by scaling it to nothing. */
  scaleDown(serviceName: string): Promise<void>
  /** As someone else would: takes a task's container off Berth's network. */
  detach(task: FoundTask): Promise<void>
  /** The task's container prints a line. */
  say(task: FoundTask, line: string, stream: 'stdout' | 'stderr'): Promise<void>
  /** Leaves the container of a job there, as a Berth that was killed would. */
  leaveJob(name: string, recordId: string): Promise<void>
  /** Puts a container of someone else's there, until the end of the test. */
  putContainer(t: TestContext, name: string): Promise<void>
  /** As someone else would. */
  killContainer(name: string): Promise<void>
  close(): Promise<void>
}

/** Waits for input that never comes, and ends at once when told to. */
export const idle = ['sh', '-c', 'trap "exit 0" INT TERM; sleep 1000000 & wait']

let lastNumber = 0

/** A specification with a name of its own, of a container that runs until it is stopped. */
export function specOf(bench: Bench, changes: Partial<ServiceSpec> = {}): ServiceSpec {
  return {
    name: `try-${process.pid}-${Date.now().toString(36)}-${++lastNumber}`,
    labels: {},
    image: bench.image,
    env: {},
    args: idle,
    mounts: [],
    files: [],
    health: null,
    ports: [],
    user: null,
    capabilities: null,
    nodeId: bench.nodeId,
    memoryLimitBytes: null,
    memoryReservationBytes: null,
    cpuLimitNano: null,
    cpuReservationNano: null,
    stopGraceSeconds: 2,
    replicas: 1,
    restarts: 0,
    ...changes,
  }
}

/** Creates the service, and removes it after the test; that its containers are gone the bench waits for, at the end. */
export async function create(t: TestContext, { engine }: Bench, spec: ServiceSpec): Promise<void> {
  t.after(() => engine.removeService(spec.name))
  await engine.createService(spec)
}

/** A job with a name of its own that runs a shell's program, and is stopped after the test. */
export async function runJob(
  t: TestContext,
  bench: Bench,
  changes: Partial<Job> = {},
  signal = new AbortController().signal,
): Promise<RunningJob> {
  const it = await bench.engine.runJob(jobOf(bench, changes), signal)
  t.after(() => it.stop())
  return it
}

export function jobOf(bench: Bench, changes: Partial<Job> = {}): Job {
  const name = `try-job-${process.pid}-${Date.now().toString(36)}-${++lastNumber}`
  return { name, recordId: 'a record', image: bench.image, argv: ['true'], env: {}, stdin: false, ...changes }
}

/** That nobody listens on just now. */
export async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '0.0.0.0')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

export async function gone(engine: Engine, name: string): Promise<void> {
  await engine.removeService(name)
  await until(`the end of ${name}`, async () => (await engine.liveContainers(name)).length === 0)
}

/** The newest task that is as asked. */
export function taskWith(engine: Engine, name: string, wanted: (task: FoundTask) => boolean): Promise<FoundTask> {
  return until(`a task of ${name}`, async () => (await engine.tasks([name])).find(wanted))
}

export function running(engine: Engine, name: string): Promise<FoundTask> {
  return taskWith(engine, name, (it) => it.state === 'running' && it.desired === 'running')
}

export async function createRunning(t: TestContext, bench: Bench, spec: ServiceSpec): Promise<FoundTask> {
  await create(t, bench, spec)
  return running(bench.engine, spec.name)
}
