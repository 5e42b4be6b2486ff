/**
 * Runs jobs as containers of the engine's own node. All connections are open before the container starts. One of them
 * waits for the exit code, so the end of a program is never taken from an engine that restarted in between.
 */
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiContainer, ApiContainerDetails, ApiWait } from '../transport/api.ts'
import { bodyOf } from '../transport/call.ts'
import type { DockerClient } from '../transport/client.ts'
import { isMissing } from '../transport/errors.ts'
import { makePresent } from '../services/images.ts'
import { jobBody } from './body.ts'
import { inputOf, outputsOf } from './streams.ts'
import { isOutOfMemory } from '../services/exit-report.ts'
import { checkOwnNode, ensureNetwork } from '../services/network.ts'
import type { EngineScope } from '../services/services.ts'
import { tarOf } from '../transport/tar.ts'
import { EngineFailure, EngineUnavailable } from '../../engine.ts'
import type { CredentialsFor, Engine } from '../../engine.ts'
import { checkJob, follow, JobStopped, lastLines } from '../../job.ts'
import type { FoundJob, Job, JobEnd, RunningJob } from '../../job.ts'
import { installationLabel, isOurs, jobLabel } from '../../labels.ts'

/** The timeout of create, start and remove: starting waits for an address from the swarm, removing for the kernel. */
const slowMs = 60_000

const maxStarts = 8

/** The retry interval and time limit while the name of a job is taken. */
const [takenMs, maxTakenMs] = [250, 30_000]

/**
 * The longest time between the end of the output and the exit code. A program keeps its output open until it ends, so
 * an earlier end of the output means that the connection was cut.
 */
const maxExitDelayMs = 10_000

/** Keeps the names of running jobs, to distinguish them from those that an earlier Berth process left. */
export function dockerJobs(
  client: DockerClient,
  scope: EngineScope,
  credentialsFor: CredentialsFor,
): Pick<Engine, 'runJob' | 'listJobs' | 'removeJob'> {
  const running = new Map<string, Promise<RunningJob>>()

  const runJob = (job: Job, signal: AbortSignal) => {
    if (running.has(job.name)) throw new EngineFailure('conflict', `The job ${job.name} is under way`)
    const starting = start(client, scope, credentialsFor, job, signal)
    running.set(job.name, starting)
    const forget = () => void running.delete(job.name)
    starting.then(({ ended }) => ended.then(forget, forget), forget)
    return starting
  }

  return {
    runJob: async (job, signal) => runJob(job, signal),
    listJobs: async () => (await ownJobs(client, scope)).map((it) => foundFrom(it, running)),
    removeJob: async (name) => {
      await running.get(name)?.then(
        (job) => job.stop(),
        () => undefined,
      )
      const id = await ownNamed(client, scope, name)
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
    await makePresent(client, credentialsFor, job.image, signal)
    return await launch(client, scope, job, signal, maxStarts)
  } catch (error) {
    if (signal.aborted) throw new JobStopped(`The job ${job.name} was called off`, { cause: signal.reason })
    if (isAttachmentRefused(error)) await checkOwnNode(client)
    throw error
  }
}

/**
 * Creates and starts the container. Retries while the network is missing: a node forgets an overlay network without
 * containers, and may take a moment to know the network again.
 */
async function launch(
  client: DockerClient,
  scope: EngineScope,
  job: Job,
  signal: AbortSignal,
  left: number,
): Promise<RunningJob> {
  try {
    return await launchOnce(client, scope, job, signal)
  } catch (error) {
    if (left === 1 || signal.aborted || !isNetworkMissing(error)) throw error
    await ensureNetwork(client, scope.networkName, scope.installationId)
    return launch(client, scope, job, signal, left - 1)
  }
}

function isAttachmentRefused(error: unknown): boolean {
  return error instanceof EngineUnavailable && /attaching to network failed/i.test(error.message)
}

function isNetworkMissing(error: unknown): boolean {
  return isMissing(error) && /network .*not found/i.test((error as Error).message)
}

/** Removes the container if anything fails before the program runs. */
async function launchOnce(
  client: DockerClient,
  scope: EngineScope,
  job: Job,
  signal: AbortSignal,
): Promise<RunningJob> {
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
    const errors = lastLines()
    const { stdout, whole } = outputsOf(await attach({ stdout: 1, stderr: 1 }), errors.add)
    const stdin = job.stdin ? inputOf(await attach({ stdin: 1 })) : null
    const exit = await exitOf(client, path, exitRequest.signal)
    signal.throwIfAborted()
    await client.call({ method: 'POST', path: `${path}/start`, timeoutMs: slowMs })
    const outcome = outcomeOf(client, path, whole, exit.code).then((end) => ({ ...end, lastLines: errors.text() }))
    return follow({ name: job.name, stdout, stdin, outcome, remove: removeAll }, signal)
  } catch (error) {
    // Report the first error. If the removal fails too, the container is found by its label later.
    await removeAll().catch(() => undefined)
    throw error
  }
}

/** Resolves once the engine waits for the exit. `code` rejects if the engine ends before the program. */
async function exitOf(client: DockerClient, path: string, signal: AbortSignal): Promise<{ code: Promise<number> }> {
  const query = { condition: 'next-exit' }
  const response = await client.stream({ method: 'POST', path: `${path}/wait`, query }, signal)
  const code = bodyOf(response).then((body) => {
    const { StatusCode, Error: failure } = JSON.parse(body.toString() || '{}') as Partial<ApiWait>
    if (StatusCode !== undefined && !failure?.Message) return StatusCode
    throw new EngineUnavailable(`The engine does not know how the job ended: ${failure?.Message ?? 'no answer'}`)
  })
  code.catch(() => undefined)
  return { code }
}

async function outcomeOf(
  client: DockerClient,
  path: string,
  whole: Promise<void>,
  exit: Promise<number>,
): Promise<Omit<JobEnd, 'lastLines'>> {
  const late = Promise.withResolvers<never>()
  const cut = new EngineUnavailable('The connection to the job broke: its output ended, and the program runs on')
  let timer: NodeJS.Timeout | undefined
  const awaitExit = () => {
    timer = setTimeout(() => late.reject(cut), maxExitDelayMs)
  }
  try {
    const [exitCode] = await Promise.race([late.promise, Promise.all([exit, whole.then(awaitExit)])])
    return { exitCode, oomKilled: await ranOutOfMemory(client, path) }
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
 * the engine is still processing a create request of that process, the name is taken but no container is visible; then
 * the call is retried until the name is free.
 */
async function create(client: DockerClient, scope: EngineScope, job: Job, signal: AbortSignal): Promise<string> {
  const call = {
    method: 'POST',
    path: '/containers/create',
    query: { name: job.name },
    body: jobBody(job, scope),
    timeoutMs: slowMs,
  } as const
  for (let left = maxTakenMs / takenMs; ; left--) {
    try {
      return (await client.call<{ Id: string }>(call)).Id
    } catch (error) {
      if (!(error instanceof EngineFailure && error.reason === 'conflict') || left === 0) throw error
      const leftover = await ownNamed(client, scope, job.name)
      if (leftover !== null) await remove(client, leftover)
      if (leftover === null || left < maxTakenMs / takenMs) await pause(takenMs, undefined, { signal })
    }
  }
}

/**
 * The container id of this installation's job of this name; null if there is none. Throws `conflict` for any other
 * container.
 */
async function ownNamed(client: DockerClient, scope: EngineScope, name: string): Promise<string | null> {
  try {
    const path = `/containers/${encodeURIComponent(name)}/json`
    const { Id, Config } = await client.call<ApiContainerDetails>({ path })
    const labels = Config?.Labels ?? {}
    if (isOurs(labels, scope.installationId) && labels[jobLabel] !== undefined) return Id
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
  throw new EngineFailure('conflict', `container ${name} is not a job of this installation of Berth`)
}

function ownJobs(client: DockerClient, scope: EngineScope): Promise<ApiContainer[]> {
  const filters = { label: [`${installationLabel}=${scope.installationId}`, jobLabel] }
  return client.call<ApiContainer[]>({ path: '/containers/json', query: { all: 'true', filters } })
}

function foundFrom({ Names, Created, Labels, State }: ApiContainer, running: ReadonlyMap<string, unknown>): FoundJob {
  const name = (Names[0] ?? '').replace(/^\//, '')
  const createdAt = new Date((Created ?? 0) * 1000).toISOString()
  return { name, recordId: Labels?.[jobLabel] ?? '', state: State, createdAt, attached: running.has(name) }
}

/** Removes the container with its anonymous volumes. A removal in progress by someone else counts as success. */
async function remove(client: DockerClient, id: string): Promise<void> {
  try {
    const query = { force: 1, v: 1 }
    await client.call({ method: 'DELETE', path: `/containers/${id}`, query, timeoutMs: slowMs })
  } catch (error) {
    const isBeingRemoved = error instanceof EngineFailure && /already in progress/.test(error.message)
    if (!isMissing(error) && !isBeingRemoved) throw error
  }
}
