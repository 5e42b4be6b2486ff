/** The interface of an engine under test, and the steps that the tests of the engine suite share. */
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
  /** An image that is present and has a shell. */
  image: string
  /** The specification, changed so that its containers behave as named. */
  behaving(spec: ServiceSpec, how: 'crashes' | 'eats memory'): ServiceSpec
  /** Scales a service to zero as someone else would. */
  scaleDown(serviceName: string): Promise<void>
  /** Disconnects a task's container from Berth's network as someone else would. */
  detach(task: FoundTask): Promise<void>
  /** Prints a line in the task's container. */
  say(task: FoundTask, line: string, stream: 'stdout' | 'stderr'): Promise<void>
  /** Adds the container of a job that a killed Berth process left. */
  leaveJob(name: string, recordId: string): Promise<void>
  /** Adds someone else's container until the end of the test. */
  putContainer(t: TestContext, name: string): Promise<void>
  /** As someone else would. */
  killContainer(name: string): Promise<void>
  close(): Promise<void>
}

/** A program that waits for input and ends at once on a signal. */
export const idle = ['sh', '-c', 'trap "exit 0" INT TERM; sleep 1000000 & wait']

let lastNumber = 0

/** A specification with a unique name, whose container runs until stopped. */
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

/** Creates the service and removes it after the test. The bench waits for the end of its containers at the end. */
export async function create(t: TestContext, { engine }: Bench, spec: ServiceSpec): Promise<void> {
  t.after(() => engine.removeService(spec.name))
  await engine.createService(spec)
}

/** Runs a shell program in a job with a unique name, and stops the job after the test. */
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

/** A port that nobody listens on. */
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

/** Waits for the newest task that satisfies the condition. */
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
