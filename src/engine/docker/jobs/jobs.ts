/**
 * Runs jobs as containers. All connections are open before the container starts. One of them
 * waits for the exit code. If the engine restarts, this connection breaks and the job fails.
 */
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiContainerDetails, ApiWait } from '../transport/api.ts'
import { bodyOf } from '../transport/call.ts'
import type { DockerClient } from '../transport/client.ts'
import { isMissing } from '../transport/errors.ts'
import type { ProvideImage } from '../services/images.ts'
import type { NodeClients } from '../nodes/node-clients.ts'
import type { OwnNodeId } from '../nodes/own-node.ts'
import { jobBody } from './body.ts'
import { findOwnJob, foundJobs, removeContainer, slowTimeoutMs } from './job-containers.ts'
import { inputOf, outputsOf } from './streams.ts'
import { isOutOfMemory } from '../services/exit-report.ts'
import { checkNode, ensureNetwork } from '../services/network.ts'
import type { EngineScope } from '../services/services.ts'
import { tarOf } from '../transport/tar.ts'
import { EngineFailure, EngineUnavailable } from '../../engine.ts'
import type { Engine } from '../../engine.ts'
import { checkJob, superviseJob, JobStopped, lastLinesCollector } from '../../job.ts'
import type { Job, JobEnd, RunningJob } from '../../job.ts'

/** The maximum number of attempts to start a container while the node does not know the network. */
const maxStarts = 8

/** The interval and the number of retries while the name of a job is taken. In total, 30 seconds. */
const [nameRetryMs, maxNameRetries] = [250, 120]

/**
 * The longest time between the end of the output and the exit code. A program usually keeps its output open until it
 * ends. If the output ends and no exit code follows in this time, the connection counts as broken.
 */
const maxExitDelayMs = 10_000

interface JobRuntime {
  /** The client of the engine that Berth calls. */
  own: DockerClient
  scope: EngineScope
  nodes: NodeClients
  ownNodeId: OwnNodeId
  provideImage: ProvideImage
}

type JobMethod = 'runJob' | 'listJobs' | 'attachedJobs' | 'removeJob' | 'removeLeftoverJob'

/** The jobs of an engine. Keeps the running jobs, to distinguish them from jobs of earlier Berth processes. */
export function dockerJobs(runtime: JobRuntime): Pick<Engine, JobMethod> {
  const { own, scope, nodes, ownNodeId } = runtime
  const running = new Map<string, { job: Job; started: Promise<RunningJob> }>()

  const runJob = (job: Job, signal: AbortSignal) => {
    if (running.has(job.name)) throw new EngineFailure('conflict', `A job with the name ${job.name} is already running`)
    const starting = start(runtime, job, signal)
    running.set(job.name, { job, started: starting })
    const forget = () => void running.delete(job.name)
    starting.then(({ ended }) => ended.then(forget, forget), forget)
    return starting
  }

  return {
    runJob: async (job, signal) => runJob(job, signal),
    listJobs: () => foundJobs({ own, nodes, scope, running }),
    attachedJobs: async (nodeId) => {
      const ownId = await ownNodeId()
      const jobs = [...running.values()].map(({ job }) => job).filter((job) => (job.nodeId ?? ownId) === nodeId)
      return jobs.map(({ name, recordId }) => ({ name, recordId }))
    },
    removeJob: async (name, nodeId) => {
      await running.get(name)?.started.then(
        (job) => job.stop(),
        () => undefined,
      )
      const client = await nodes.of(nodeId)
      const id = await findOwnJob(client, scope, name)
      if (id !== null) await removeContainer(client, id)
    },
    removeLeftoverJob: async (name, nodeId) => {
      const client = await nodes.of(nodeId)
      const id = await findOwnJob(client, scope, name)
      // The container may be of a job that has started since, because its name is known before it exists.
      if (id !== null && !running.has(name)) await removeContainer(client, id)
    },
  }
}

async function start(
  { own, scope, nodes, ownNodeId, provideImage }: JobRuntime,
  job: Job,
  signal: AbortSignal,
): Promise<RunningJob> {
  checkJob(job)
  try {
    const client = await nodes.of(job.nodeId)
    await provideImage(client, job.image, signal)
    return await launchWithRetries({ own, client, scope }, job, signal, maxStarts)
  } catch (error) {
    if (signal.aborted)
      throw new JobStopped(`The job ${job.name} was cancelled before its start`, { cause: signal.reason })
    if (isAttachmentRefused(error)) await checkNode(own, job.nodeId ?? (await ownNodeId()))
    throw error
  }
}

/** `own` is the engine that Berth calls, `client` the engine of the job's node. */
interface Launcher {
  own: DockerClient
  client: DockerClient
  scope: EngineScope
}

/**
 * Creates and starts the container. Retries while the node does not know the network: a node forgets an overlay network
 * without containers, and takes a moment to learn of the network again.
 */
async function launchWithRetries(
  launcher: Launcher,
  job: Job,
  signal: AbortSignal,
  attempts: number,
): Promise<RunningJob> {
  const { own, client, scope } = launcher
  try {
    return await launch(client, scope, job, signal)
  } catch (error) {
    if (attempts === 1 || signal.aborted || !isNetworkMissing(error)) throw error
    await ensureNetwork(own, scope.networkName, scope.installationId)
    return launchWithRetries(launcher, job, signal, attempts - 1)
  }
}

function isAttachmentRefused(error: unknown): boolean {
  return error instanceof Error && /attaching to network failed/i.test(error.message)
}

function isNetworkMissing(error: unknown): boolean {
  return isMissing(error) && /network .*not found/i.test((error as Error).message)
}

/** Creates the container, connects its streams and starts it. Removes the container if any of these steps fails. */
async function launch(client: DockerClient, scope: EngineScope, job: Job, signal: AbortSignal): Promise<RunningJob> {
  const id = await create(client, scope, job, signal)
  const path = `/containers/${id}`
  const exitRequest = new AbortController()
  const sockets: Duplex[] = []
  const removeAll = async () => {
    try {
      // First the container: the program would take the end of the connection for the end of its input.
      await removeContainer(client, id)
    } finally {
      for (const socket of sockets) socket.destroy()
      exitRequest.abort()
    }
  }
  const attach = async (streams: object) => {
    const socket = await client.hijack({ method: 'POST', path: `${path}/attach`, query: { stream: 1, ...streams } })
    sockets.push(socket)
    return socket
  }
  try {
    if (job.files?.length) {
      await client.call({ method: 'PUT', path: `${path}/archive`, query: { path: '/' }, body: tarOf(job.files) })
    }
    const errors = lastLinesCollector()
    const output = await attach({ stdout: 1, stderr: 1 })
    const { stdout, complete } = outputsOf(output, errors.add)
    const stdin = job.stdin ? inputOf(await attach({ stdin: 1 })) : null
    const exit = await requestExitCode(client, path, exitRequest.signal)
    signal.throwIfAborted()
    await client.call({ method: 'POST', path: `${path}/start`, timeoutMs: slowTimeoutMs })
    const end = client.following(outcomeOf(client, path, complete, exit.code))
    const outcome = end.then((it) => ({ ...it, lastLines: errors.text() }))
    return superviseJob({ name: job.name, stdout, stdin, outcome, remove: removeAll }, signal)
  } catch (error) {
    // The first error is the cause. If the removal fails too, a later call of listJobs finds the container.
    await removeAll().catch(() => undefined)
    throw error
  }
}

/**
 * Sends the request that waits for the exit code. Resolves when the engine has accepted the request. `code` then
 * resolves with the exit code, or rejects with EngineUnavailable if the engine stops before the program has ended.
 */
async function requestExitCode(
  client: DockerClient,
  path: string,
  signal: AbortSignal,
): Promise<{ code: Promise<number> }> {
  const query = { condition: 'next-exit' }
  const response = await client.stream({ method: 'POST', path: `${path}/wait`, query }, signal)
  const code = bodyOf(response).then((body) => {
    const { StatusCode, Error: failure } = JSON.parse(body.toString() || '{}') as Partial<ApiWait>
    if (StatusCode !== undefined && !failure?.Message) return StatusCode
    throw new EngineUnavailable(
      `The engine reports no exit code of the job: ${failure?.Message ?? 'its answer is empty'}`,
    )
  })
  code.catch(() => undefined)
  return { code }
}

/**
 * Resolves when the program has ended and all of its output was read. Rejects with EngineUnavailable if the connection
 * breaks or the engine reports no exit code.
 * @param complete resolves after all output was read
 * @param exit resolves with the exit code
 */
async function outcomeOf(
  client: DockerClient,
  path: string,
  complete: Promise<void>,
  exit: Promise<number>,
): Promise<Omit<JobEnd, 'lastLines'>> {
  const exitTimeout = Promise.withResolvers<never>()
  const brokenConnection = new EngineUnavailable(
    'The connection to the job broke: the output ended while the program was running',
  )
  let timer: NodeJS.Timeout | undefined
  const startTimer = () => {
    timer = setTimeout(() => exitTimeout.reject(brokenConnection), maxExitDelayMs)
  }
  try {
    const [exitCode] = await Promise.race([exitTimeout.promise, Promise.all([exit, complete.then(startTimer)])])
    return { exitCode, outOfMemory: await ranOutOfMemory(client, path) }
  } finally {
    clearTimeout(timer)
  }
}

async function ranOutOfMemory(client: DockerClient, path: string): Promise<boolean> {
  try {
    return await isOutOfMemory(client, await client.call<ApiContainerDetails>({ path: `${path}/json` }))
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/**
 * Creates the container and returns its id. Removes a container of the same name that an earlier Berth process left. If
 * the engine is still processing a create request of that process, the name is taken but no container is visible. The
 * call is then repeated for up to 30 seconds.
 */
async function create(client: DockerClient, scope: EngineScope, job: Job, signal: AbortSignal): Promise<string> {
  const call = {
    method: 'POST',
    path: '/containers/create',
    query: { name: job.name },
    body: jobBody(job, scope),
    timeoutMs: slowTimeoutMs,
  } as const
  for (let retries = 0; ; retries++) {
    try {
      return (await client.call<{ Id: string }>(call)).Id
    } catch (error) {
      if (!(error instanceof EngineFailure && error.reason === 'conflict') || retries === maxNameRetries) throw error
      const leftover = await findOwnJob(client, scope, job.name)
      if (leftover !== null) await removeContainer(client, leftover)
      if (leftover === null || retries > 0) await pause(nameRetryMs, undefined, { signal })
    }
  }
}
