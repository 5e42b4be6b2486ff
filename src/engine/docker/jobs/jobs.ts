/**
 * Jobs as containers of this engine's own node. Everything is listened to before the start. How a program ended is told
 * on a connection that is open from before its start: an engine that died in between cannot have it forgotten.
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
import type { Place } from '../services/services.ts'
import { tarOf } from '../transport/tar.ts'
import { EngineFailure, EngineUnavailable } from '../../engine.ts'
import type { CredentialsFor, Engine } from '../../engine.ts'
import { checkJob, follow, JobStopped, lastLines } from '../../job.ts'
import type { FoundJob, Job, JobEnd, RunningJob } from '../../job.ts'
import { installationLabel, isOurs, jobLabel } from '../../labels.ts'

/** Starting waits for the swarm to give an address, removing for the kernel. */
const slowMs = 60_000

const maxStarts = 8

/** How often a name that is taken is asked for again, and for how long. */
const [takenMs, maxTakenMs] = [250, 30_000]

/** A program holds its output to its end: when that ends long before, the connection was cut. */
const maxFarewellMs = 10_000

/** Remembers which jobs are under way, to tell them from those that a Berth before left. */
export function dockerJobs(
  client: DockerClient,
  place: Place,
  credentialsFor: CredentialsFor,
): Pick<Engine, 'runJob' | 'listJobs' | 'removeJob'> {
  const underWay = new Map<string, Promise<RunningJob>>()

  const runJob = (job: Job, signal: AbortSignal) => {
    if (underWay.has(job.name)) throw new EngineFailure('conflict', `The job ${job.name} is under way`)
    const starting = start(client, place, credentialsFor, job, signal)
    underWay.set(job.name, starting)
    const forget = () => void underWay.delete(job.name)
    starting.then(({ ended }) => ended.then(forget, forget), forget)
    return starting
  }

  return {
    runJob: async (job, signal) => runJob(job, signal),
    listJobs: async () => (await ownJobs(client, place)).map((it) => foundFrom(it, underWay)),
    removeJob: async (name) => {
      await underWay.get(name)?.then(
        (it) => it.stop(),
        () => undefined,
      )
      const id = await ownNamed(client, place, name)
      if (id !== null) await remove(client, id)
    },
  }
}

async function start(
  client: DockerClient,
  place: Place,
  credentialsFor: CredentialsFor,
  job: Job,
  signal: AbortSignal,
): Promise<RunningJob> {
  checkJob(job)
  try {
    await makePresent(client, credentialsFor, job.image, signal)
    return await launch(client, place, job, signal, maxStarts)
  } catch (error) {
    if (signal.aborted) throw new JobStopped(`The job ${job.name} was called off`, { cause: signal.reason })
    if (isShutOut(error)) await checkOwnNode(client)
    throw error
  }
}

/** A network without containers is known to its node no longer, and at times not yet again. */
async function launch(
  client: DockerClient,
  place: Place,
  job: Job,
  signal: AbortSignal,
  left: number,
): Promise<RunningJob> {
  try {
    return await launchOnce(client, place, job, signal)
  } catch (error) {
    if (left === 1 || signal.aborted || !isNetworkMissing(error)) throw error
    await ensureNetwork(client, place.networkName, place.installationId)
    return launch(client, place, job, signal, left - 1)
  }
}

function isShutOut(error: unknown): boolean {
  return error instanceof EngineUnavailable && /attaching to network failed/i.test(error.message)
}

function isNetworkMissing(error: unknown): boolean {
  return isMissing(error) && /network .*not found/i.test((error as Error).message)
}

/** Whatever fails before the program runs, nothing stays. */
async function launchOnce(client: DockerClient, place: Place, job: Job, signal: AbortSignal): Promise<RunningJob> {
  const id = await create(client, place, job, signal)
  const path = `/containers/${id}`
  const hangUp = new AbortController()
  const sockets: Duplex[] = []
  const letGo = async () => {
    for (const it of sockets) it.destroy()
    hangUp.abort()
    await remove(client, id)
  }
  const attach = async (streams: object) => {
    const socket = await client.hijack({ method: 'POST', path: `${path}/attach`, query: { stream: 1, ...streams } })
    sockets.push(socket)
    // So that a silent job on a host that vanished breaks.
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
    const exit = await exitOf(client, path, hangUp.signal)
    signal.throwIfAborted()
    await client.call({ method: 'POST', path: `${path}/start`, timeoutMs: slowMs })
    const outcome = outcomeOf(client, path, whole, exit.code).then((it) => ({ ...it, lastLines: errors.text() }))
    return follow({ name: job.name, stdout, stdin, outcome, remove: letGo }, signal)
  } catch (error) {
    // The first error is the one to tell; what is left over is found by its label.
    await letGo().catch(() => undefined)
    throw error
  }
}

/** Settles once the engine waits. Its answer breaks off when the engine does. */
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
  const farewell = () => {
    timer = setTimeout(() => late.reject(cut), maxFarewellMs)
  }
  try {
    const [exitCode] = await Promise.race([late.promise, Promise.all([exit, whole.then(farewell)])])
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
 * Gives the container's id. What an ended Berth left under the name goes first. A call of it that the engine is still
 * at has the name already, and shows nothing that could be removed: it is waited for.
 */
async function create(client: DockerClient, place: Place, job: Job, signal: AbortSignal): Promise<string> {
  const call = {
    method: 'POST',
    path: '/containers/create',
    query: { name: job.name },
    body: jobBody(job, place),
    timeoutMs: slowMs,
  } as const
  for (let left = maxTakenMs / takenMs; ; left--) {
    try {
      return (await client.call<{ Id: string }>(call)).Id
    } catch (error) {
      if (!(error instanceof EngineFailure && error.reason === 'conflict') || left === 0) throw error
      const leftover = await ownNamed(client, place, job.name)
      if (leftover !== null) await remove(client, leftover)
      if (leftover === null || left < maxTakenMs / takenMs) await pause(takenMs, undefined, { signal })
    }
  }
}

/** The id of this installation's job of the name; null: there is none. */
async function ownNamed(client: DockerClient, place: Place, name: string): Promise<string | null> {
  try {
    const path = `/containers/${encodeURIComponent(name)}/json`
    const { Id, Config } = await client.call<ApiContainerDetails>({ path })
    const labels = Config?.Labels ?? {}
    if (isOurs(labels, place.installationId) && labels[jobLabel] !== undefined) return Id
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
  throw new EngineFailure('conflict', `container ${name} is not a job of this installation of Berth`)
}

function ownJobs(client: DockerClient, place: Place): Promise<ApiContainer[]> {
  const filters = { label: [`${installationLabel}=${place.installationId}`, jobLabel] }
  return client.call<ApiContainer[]>({ path: '/containers/json', query: { all: 'true', filters } })
}

function foundFrom(it: ApiContainer, underWay: ReadonlyMap<string, unknown>): FoundJob {
  const name = (it.Names[0] ?? '').replace(/^\//, '')
  const createdAt = new Date((it.Created ?? 0) * 1000).toISOString()
  return { name, recordId: it.Labels?.[jobLabel] ?? '', state: it.State, createdAt, attached: underWay.has(name) }
}

/** With the volumes that its image declares. Someone else may be removing it at this moment. */
async function remove(client: DockerClient, id: string): Promise<void> {
  try {
    const query = { force: 1, v: 1 }
    await client.call({ method: 'DELETE', path: `/containers/${id}`, query, timeoutMs: slowMs })
  } catch (error) {
    const isGoing = error instanceof EngineFailure && /already in progress/.test(error.message)
    if (!isMissing(error) && !isGoing) throw error
  }
}
