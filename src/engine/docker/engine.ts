/**
 * The engine that is Docker Swarm: each method of the interface in terms of the API.
 * Keeps nothing in memory but the names of jobs and errands under way, and for a while which node it is on.
 */
import type { ApiContainer, ApiTask } from './transport/api.ts'
import { dockerClient } from './transport/client.ts'
import type { DockerClient } from './transport/client.ts'
import { containerLogs } from './logs/container-logs.ts'
import { markIn, markProgram } from '../data-mark.ts'
import { dropLeft } from './services/configs.ts'
import { elsewhere } from './nodes/remote-node.ts'
import type { RemoteNode } from './nodes/remote-node.ts'
import { dockerRemoteCommands } from './nodes/remote-commands.ts'
import { isMissing } from './transport/errors.ts'
import { diskUsageOf, runProgram } from './jobs/exec.ts'
import { hasBegun, hasEnded, namedFrom } from './services/found.ts'
import { image, pullImage } from './services/images.ts'
import { dockerJobs } from './jobs/jobs.ts'
import { serviceLogs } from './logs/logs.ts'
import { examine, unknownEnd } from './services/exit-report.ts'
import { bridgeAddresses, ensureNetwork } from './services/network.ts'
import { dockerNodes } from './nodes/nodes.ts'
import { type OwnNode, ownNode } from './nodes/own-node.ts'
import {
  allServices,
  createService,
  removeService,
  renewCredentials,
  servicesNamed,
  tasksOf,
  updateService,
} from './services/services.ts'
import { usageOf } from './services/stats.ts'
import { ensureSwarm } from './nodes/swarm.ts'
import { watchEvents } from './events.ts'
import { EngineFailure, EngineUnavailable } from '../engine.ts'
import type { CredentialsFor, Engine, FoundTask, ExitReport } from '../engine.ts'
import { installationLabel } from '../labels.ts'

/** For a small file, on a disk that is busy. */
const markMs = 10_000

export interface DockerOptions {
  /** unix:///path or tcp://host:port. */
  dockerHost: string
  /** A folder with ca.pem, cert.pem and key.pem, for TLS. */
  certPath?: string | null
  installationId: string
  networkName: string
  /** Address that other nodes reach this one by; null: the engine's choice. */
  advertiseAddress?: string | null
  /** Has a shell, curl, du, gzip and base64, for what is to be done on other nodes. */
  remoteCommandImage?: string
  /** Whom images are pulled as: without, as anybody. Asked at each create, update and pull. */
  credentialsFor?: CredentialsFor
  /** Of a call that is not bounded otherwise. */
  timeoutMs?: number
}

export function dockerEngine(options: DockerOptions): Engine {
  const client = dockerClient(options.dockerHost, options.certPath ?? null, options.timeoutMs)
  const { installationId, networkName, credentialsFor = async () => null, remoteCommandImage = 'nginx:1' } = options
  const remoteCommands = dockerRemoteCommands(client, options, remoteCommandImage, credentialsFor)
  const jobs = dockerJobs(client, options, credentialsFor)
  const far = elsewhere(client, remoteCommands, jobs)
  const own = ownNode(client)
  const ofContainers = containerLogs(client, own, far)
  return {
    ping: () => ping(client),
    prepare: async () => {
      await ensureSwarm(client, options.advertiseAddress ?? null)
      await ensureNetwork(client, networkName, installationId)
      await remoteCommands.tidy()
      await dropLeft(client, installationId)
    },
    ...dockerNodes(client, own, options),
    services: () => allServices(client, options),
    servicesNamed: async (names) => (await servicesNamed(client, names)).map(namedFrom),
    tasks: (names) => tasksOf(client, options, names),
    createService: (spec) => createService(client, options, credentialsFor, spec),
    updateService: (spec) => updateService(client, options, credentialsFor, spec),
    renewCredentials: (name) => renewCredentials(client, options, credentialsFor, name),
    removeService: (name) => removeService(client, options, name),
    detached: () => detached(client, options),
    hostAddresses: () => bridgeAddresses(client),
    liveContainers: (serviceName) => liveContainers(client, own, serviceName),
    removeVolume: (name, nodeId) => removeVolume(client, own, far, name, nodeId),
    hasVolume: (name, nodeId) => hasVolume(client, own, far, name, nodeId),
    dataMark: (task, folder, fresh) =>
      whereItIs(
        own,
        task,
        (id) => dataMark(client, id, folder, fresh),
        (id, nodeId) => far.dataMark(nodeId, id, folder, fresh),
      ),
    run: (task, program, timeoutMs) =>
      whereItIs(
        own,
        task,
        (id) => runProgram(client, id, program, timeoutMs),
        () => far.run(task, program, timeoutMs),
      ),
    ...jobs,
    exitReport: (task) => exitReport(client, own, far, task),
    logs: (serviceName, asked, signal) => serviceLogs(client, ofContainers, installationId, serviceName, asked, signal),
    stats: (task) =>
      whereItIs(
        own,
        task,
        (id) => usageOf(client, id),
        (id, nodeId) => far.usage(nodeId, id),
      ),
    diskUsage: (task, path) =>
      whereItIs(
        own,
        task,
        (id) => diskUsageOf(client, id, path),
        (id, nodeId) => far.diskUsage(nodeId, id, path),
      ),
    image: (reference) => image(client, reference),
    pullImage: (reference, signal) => pullImage(client, credentialsFor, reference, signal),
    watch: (onEvent, signal) => watchEvents(client, onEvent, signal),
  }
}

async function ping(client: DockerClient): Promise<void> {
  const said = (await client.bytes({ path: '/_ping' })).toString()
  if (said.trim() !== 'OK') throw new EngineUnavailable('What answers in the place of the engine is something else')
}

async function detached(client: DockerClient, { installationId, networkName }: DockerOptions): Promise<Set<string>> {
  const query = { filters: { label: [`${installationLabel}=${installationId}`], status: ['running'] } }
  const containers = await client.call<ApiContainer[]>({ path: '/containers/json', query })
  const isOff = ({ NetworkSettings }: ApiContainer) => !Object.hasOwn(NetworkSettings?.Networks ?? {}, networkName)
  return new Set(containers.filter(isOff).map(({ Id }) => Id))
}

type Work<T> = (containerId: string, nodeId: string) => Promise<T>

/** Containers are known to the engine of their own node alone. */
async function whereItIs<T>(own: OwnNode, task: FoundTask, here: Work<T>, there: Work<T>): Promise<T> {
  const { nodeId } = task
  const containerId = containerOf(task)
  try {
    return await here(containerId, nodeId ?? '')
  } catch (error) {
    if (!isMissing(error) || nodeId === null || nodeId === (await own())) throw error
  }
  return there(containerId, nodeId)
}

function containerOf(task: FoundTask): string {
  if (task.containerId) return task.containerId
  throw new EngineFailure('conflict', `The task of ${task.serviceName} has no container: it is ${task.state}.`)
}

/**
 * Of those on other nodes the swarm tells by their tasks, those of a service that is removed too. Here the containers
 * tell, but of a task that has none yet: the engine may be about to make it, with its volume.
 */
async function liveContainers(client: DockerClient, own: OwnNode, serviceName: string): Promise<string[]> {
  const filters = { label: [`com.docker.swarm.service.name=${serviceName}`] }
  const [containers, tasks] = await Promise.all([
    client.call<ApiContainer[]>({ path: '/containers/json', query: { all: 'true', filters } }),
    client.call<ApiTask[]>({ path: '/tasks', query: { filters: { name: [`${serviceName}.`] } } }),
  ])
  const nameOf = ({ Names }: ApiContainer) => (Names[0] ?? '').replace(/^\//, '')
  const known = new Set(containers.map(nameOf))
  const nameFor = ({ ID }: ApiTask) => `${serviceName}.1.${ID}`
  const ended = new Set(tasks.filter(hasEnded).map(nameFor))
  // The swarm may end a task before its container is started: nobody starts that any more, and it may stay for long.
  const isOver = (it: ApiContainer) => it.State === 'exited' || (it.State === 'created' && ended.has(nameOf(it)))
  const live = containers.filter((it) => !isOver(it)).map(nameOf)
  const others = tasks
    .filter((task) => !hasEnded(task))
    .map((task) => ({ task, name: nameFor(task) }))
    .filter(({ name }) => !known.has(name))
  if (others.length === 0) return live
  const local = await own()
  return [...live, ...others.filter(({ task }) => task.NodeID !== local || !hasBegun(task)).map(({ name }) => name)]
}

async function removeVolume(
  client: DockerClient,
  own: OwnNode,
  far: RemoteNode,
  name: string,
  nodeId: string,
): Promise<void> {
  const isHere = nodeId === (await own())
  try {
    if (isHere) await client.call({ method: 'DELETE', path: `/volumes/${encodeURIComponent(name)}` })
    else await far.removeVolume(name, nodeId)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

async function hasVolume(
  client: DockerClient,
  own: OwnNode,
  far: RemoteNode,
  name: string,
  nodeId: string,
): Promise<boolean> {
  try {
    if (nodeId === (await own())) await client.call({ path: `/volumes/${encodeURIComponent(name)}` })
    else await far.findVolume(name, nodeId)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

async function dataMark(client: DockerClient, id: string, folder: string, fresh: string | null) {
  return markIn(await runProgram(client, id, { argv: markProgram(folder, fresh), env: {} }, markMs))
}

async function exitReport(client: DockerClient, own: OwnNode, far: RemoteNode, task: FoundTask): Promise<ExitReport> {
  if (task.containerId === null) return unknownEnd(task)
  try {
    return await whereItIs(
      own,
      task,
      (id) => examine(client, id),
      (id, nodeId) => far.examine(task, nodeId, id),
    )
  } catch (error) {
    if (isMissing(error)) return unknownEnd(task)
    throw error
  }
}
