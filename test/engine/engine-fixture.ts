/** An engine with the helpers that the tests of the engine suite need, and the steps that these tests share. */
import type { TestContext } from 'node:test'
import type { Engine, FoundTask } from '../../src/engine/engine.ts'
import type { Job, RunningJob } from '../../src/engine/job.ts'
import type { ServiceSpec } from '../../src/engine/spec.ts'
import type { behaviours } from './behaviours.ts'
import { until } from './until.ts'

export interface EngineFixture {
  engine: Engine
  /** The engine as another installation on the same swarm uses it. */
  otherInstallation: Engine
  nodeId: string
  /** An image that is present and has a shell. */
  image: string
  /** Changes the specification, so that its containers behave as named. */
  withBehaviour(spec: ServiceSpec, behaviour: keyof typeof behaviours): ServiceSpec
  /** Scales a service to zero as someone else would. */
  scaleDown(serviceName: string): Promise<void>
  /** Disconnects a task's container from Berth's network as someone else would. */
  detach(task: FoundTask): Promise<void>
  /** Prints a line in the task's container. */
  printLine(task: FoundTask, line: string, stream: 'stdout' | 'stderr'): Promise<void>
  /** Adds a job's container that an earlier Berth process left. */
  addLeftoverJob(name: string, recordId: string): Promise<void>
  /** Adds someone else's container until the end of the test. With a volume: the container runs on the volume. */
  addForeignContainer(t: TestContext, name: string, volume?: string): Promise<void>
  /** Kills a container as someone else would. */
  killContainer(name: string): Promise<void>
  close(): Promise<void>
}

/** A program that runs until a signal and then ends immediately. */
export const idle = ['sh', '-c', 'trap "exit 0" INT TERM; sleep 1000000 & wait']

let lastNumber = 0

/** A specification with a unique name, whose container runs until stopped. */
export function specOf(fixture: EngineFixture, changes: Partial<ServiceSpec> = {}): ServiceSpec {
  return {
    name: `try-${process.pid}-${Date.now().toString(36)}-${++lastNumber}`,
    labels: {},
    image: fixture.image,
    env: {},
    args: idle,
    mounts: [],
    files: [],
    health: null,
    ports: [],
    user: null,
    capabilities: null,
    nodeId: fixture.nodeId,
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

/** Creates the service and removes it after the test. `close` of the fixture waits for the end of its containers. */
export async function create(t: TestContext, { engine }: EngineFixture, spec: ServiceSpec): Promise<void> {
  t.after(() => engine.removeService(spec.name))
  await engine.createService(spec)
}

/** Runs a shell program in a job with a unique name, and stops the job after the test. */
export async function runJob(
  t: TestContext,
  fixture: EngineFixture,
  changes: Partial<Job> = {},
  signal = new AbortController().signal,
): Promise<RunningJob> {
  const job = await fixture.engine.runJob(jobOf(fixture, changes), signal)
  t.after(() => job.stop())
  return job
}

export function jobOf(fixture: EngineFixture, changes: Partial<Job> = {}): Job {
  const name = `try-job-${process.pid}-${Date.now().toString(36)}-${++lastNumber}`
  return { name, recordId: 'a record', image: fixture.image, argv: ['true'], env: {}, stdin: false, ...changes }
}

/** Removes a service and waits for the end of its containers. */
export async function removeAndWait(engine: Engine, name: string): Promise<void> {
  await engine.removeService(name)
  await until(`the end of ${name}`, async () => (await engine.liveContainers(name)).length === 0)
}

/** Waits for a task that satisfies the condition. Returns the newest one. */
export function taskWith(engine: Engine, name: string, condition: (task: FoundTask) => boolean): Promise<FoundTask> {
  return until(`a task of ${name}`, async () => (await engine.tasks([name])).find(condition))
}

const sharedTasks = new WeakMap<EngineFixture, Promise<FoundTask>>()

/**
 * Returns the task of a service that runs until the end of the suite, for tests that do not change it. Starting a
 * container takes longer than most of these tests.
 */
export function sharedTask(fixture: EngineFixture): Promise<FoundTask> {
  const { engine } = fixture
  const start = async () => {
    const spec = specOf(fixture)
    await engine.createService(spec)
    return running(engine, spec.name)
  }
  const task = sharedTasks.get(fixture) ?? start()
  sharedTasks.set(fixture, task)
  return task
}

export function running(engine: Engine, name: string): Promise<FoundTask> {
  return taskWith(engine, name, ({ state, desired }) => state === 'running' && desired === 'running')
}

export async function createRunning(t: TestContext, fixture: EngineFixture, spec: ServiceSpec): Promise<FoundTask> {
  await create(t, fixture, spec)
  return running(fixture.engine, spec.name)
}
