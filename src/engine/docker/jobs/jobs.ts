/**
 * Runs jobs as containers of the engine's own node. All connections are open before the container starts. One of them
 * waits for the exit code. If the engine restarts, this connection breaks and the job fails.
 */
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiContainer, ApiContainerDetails, ApiWait } from '../transport/api.ts'
import { bodyOf } from '../transport/call.ts'
import type { DockerClient } from '../transport/client.ts'
import { isMissing } from '../transport/errors.ts'
import { ensureImage } from '../services/images.ts'
import { jobBody } from './body.ts'
import { inputOf, outputsOf } from './streams.ts'
import { isOutOfMemory } from '../services/exit-report.ts'
import { checkOwnNode, ensureNetwork } from '../services/network.ts'
import { networkOf } from '../services/spec.ts'
import type { EngineScope } from '../services/services.ts'
import { tarOf } from '../transport/tar.ts'
import { EngineFailure, EngineUnavailable } from '../../engine.ts'
import type { CredentialsFor, Engine } from '../../engine.ts'
import { checkJob, superviseJob, JobStopped, lastLinesCollector } from '../../job.ts'
import type { FoundJob, Job, JobEnd, RunningJob } from '../../job.ts'
import { installationLabel, isOwnObject, jobLabel } from '../../labels.ts'

/**
 * The timeout of create, start and remove. Starting waits for an address from the swarm, and removing waits for the
 * kernel.
 */
const slowTimeoutMs = 60_000

/** The maximum number of attempts to start a container while the node does not know the network. */
const maxStarts = 8

/** The interval and the number of retries while the name of a job is taken. In total, 30 seconds. */
const [nameRetryMs, maxNameRetries] = [250, 120]

/**
 * The longest time between the end of the output and the exit code. A program usually keeps its output open until it
 * ends. If the output ends and no exit code follows in this time, the connection counts as broken.
 */
const maxExitDelayMs = 10_000

/** The jobs of an engine. Keeps the names of running jobs, to distinguish them from jobs of earlier Berth processes. */
export function dockerJobs(
  client: DockerClient,
  scope: EngineScope,
  credentialsFor: CredentialsFor,
): Pick<Engine, 'runJob' | 'listJobs' | 'removeJob'> {
  const running = new Map<string, Promise<RunningJob>>()

  const runJob = (job: Job, signal: AbortSignal) => {
    if (running.has(job.name)) throw new EngineFailure('conflict', `A job with the name ${job.name} is already running`)
    const starting = start(client, scope, credentialsFor, job, signal)
    running.set(job.name, starting)
    const forget = () => void running.delete(job.name)
    starting.then(({ ended }) => ended.then(forget, forget), forget)
    return starting
  }

  return {
    runJob: async (job, signal) => runJob(job, signal),
    listJobs: async () => (await ownJobs(client, scope)).map((container) => jobFrom(container, running)),
    removeJob: async (name) => {
      await running.get(name)?.then(
        (job) => job.stop(),
        () => undefined,
      )
      const id = await findOwnJob(client, scope, name)
      if (id !== null) await remove(client, id)
    },
  }
}

async function start(
  client: DockerClient,
  scope: EngineScope,
  credentialsFor: CredentialsFor,
  job: Job,
  signal: AbortSignal,
): Promise<RunningJob> {
  checkJob(job)
  try {
    await ensureImage(client, credentialsFor, job.image, signal)
    return await launchWithRetries(client, scope, job, signal, maxStarts)
  } catch (error) {
    if (signal.aborted)
      throw new JobStopped(`The job ${job.name} was cancelled before its start`, { cause: signal.reason })
    if (isAttachmentRefused(error)) await checkOwnNode(client)
    throw error
  }
}

/**
 * Creates and starts the container. Retries while the node does not know the network: a node forgets an overlay network
 * without containers, and takes a moment to learn of the network again.
 */
async function launchWithRetries(
  client: DockerClient,
  scope: EngineScope,
  job: Job,
  signal: AbortSignal,
  attempts: number,
): Promise<RunningJob> {
  try {
    return await launch(client, scope, job, signal)
  } catch (error) {
    if (attempts === 1 || signal.aborted || !isNetworkMissing(error)) throw error
    await ensureNetwork(client, networkOf(job, scope.networkName), scope.installationId, job.isIsolated)
    return launchWithRetries(client, scope, job, signal, attempts - 1)
  }
}

function isAttachmentRefused(error: unknown): boolean {
  return error instanceof EngineUnavailable && /attaching to network failed/i.test(error.message)
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
    for (const socket of sockets) socket.destroy()
    exitRequest.abort()
    await remove(client, id)
  }
  const attach = async (streams: object) => {
    const socket = await client.hijack({ method: 'POST', path: `${path}/attach`, query: { stream: 1, ...streams } })
    sockets.push(socket)
    // Without keep-alive, the connection to a host that vanished would stay open for as long as the job is silent.
    if (socket instanceof Socket) socket.setKeepAlive(true, 15_000)
    return socket
  }
  try {
    if (job.files?.length) {
      await client.call({ method: 'PUT', path: `${path}/archive`, query: { path: '/' }, body: tarOf(job.files) })
    }
    const errors = lastLinesCollector()
    const { stdout, complete } = outputsOf(await attach({ stdout: 1, stderr: 1 }), errors.add)
    const stdin = job.stdin ? inputOf(await attach({ stdin: 1 })) : null
    const exit = await requestExitCode(client, path, exitRequest.signal)
    signal.throwIfAborted()
    await client.call({ method: 'POST', path: `${path}/start`, timeoutMs: slowTimeoutMs })
    const outcome = outcomeOf(client, path, complete, exit.code).then((end) => ({ ...end, lastLines: errors.text() }))
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
      if (leftover !== null) await remove(client, leftover)
      if (leftover === null || retries > 0) await pause(nameRetryMs, undefined, { signal })
    }
  }
}

/**
 * Returns the container id of this installation's job of this name; null if the name is free. Throws EngineFailure
 * `conflict` for any other container of this name.
 */
async function findOwnJob(client: DockerClient, scope: EngineScope, name: string): Promise<string | null> {
  try {
    const path = `/containers/${encodeURIComponent(name)}/json`
    const { Id, Config } = await client.call<ApiContainerDetails>({ path })
    const labels = Config?.Labels ?? {}
    if (isOwnObject(labels, scope.installationId) && labels[jobLabel] !== undefined) return Id
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
  throw new EngineFailure('conflict', `The container ${name} is not a job of this Berth installation`)
}

function ownJobs(client: DockerClient, scope: EngineScope): Promise<ApiContainer[]> {
  const filters = { label: [`${installationLabel}=${scope.installationId}`, jobLabel] }
  return client.call<ApiContainer[]>({ path: '/containers/json', query: { all: 'true', filters } })
}

function jobFrom({ Names, Created, Labels, State }: ApiContainer, running: ReadonlyMap<string, unknown>): FoundJob {
  const name = (Names[0] ?? '').replace(/^\//, '')
  const createdAt = new Date((Created ?? 0) * 1000).toISOString()
  return { name, recordId: Labels?.[jobLabel] ?? '', state: State, createdAt, attached: running.has(name) }
}

/** Removes the container with its anonymous volumes. Succeeds if it is missing or is already being removed. */
async function remove(client: DockerClient, id: string): Promise<void> {
  try {
    const query = { force: 1, v: 1 }
    await client.call({ method: 'DELETE', path: `/containers/${id}`, query, timeoutMs: slowTimeoutMs })
  } catch (error) {
    const isBeingRemoved = error instanceof EngineFailure && /already in progress/.test(error.message)
    if (!isMissing(error) && !isBeingRemoved) throw error
  }
}
