/**
 * The Docker Swarm implementation of the Engine interface. In memory it keeps only the names of running jobs and remote
 * commands, and for a few seconds the id of the engine's own node.
 */
import type { ApiContainer, ApiTask } from './transport/api.ts'
import { dockerClient } from './transport/client.ts'
import type { DockerClient } from './transport/client.ts'
import { containerLogs } from './logs/container-logs.ts'
import { parseMark, markArgv } from '../data-mark.ts'
import { removeLeftoverFiles } from './services/configs.ts'
import { remoteNode } from './nodes/remote-node.ts'
import type { RemoteNode } from './nodes/remote-node.ts'
import { dockerRemoteCommands } from './nodes/remote-commands.ts'
import { isMissing } from './transport/errors.ts'
import { diskUsageOf, runProgram } from './jobs/exec.ts'
import { hasBegun, hasEnded, namedFrom } from './services/found.ts'
import { image, pullImage } from './services/images.ts'
import { dockerJobs } from './jobs/jobs.ts'
import { serviceLogs } from './logs/logs.ts'
import { readExitReport, reportWithoutContainer } from './services/exit-report.ts'
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

/** The timeout for reading or writing a small file on a busy disk. */
const markMs = 10_000

export interface DockerOptions {
  /** `unix:///path` or `tcp://host:port`. */
  dockerHost: string
  /** For TLS: a folder with ca.pem, cert.pem and key.pem. */
  certPath?: string | null
  installationId: string
  networkName: string
  /** The address at which other nodes reach this one; null: the engine chooses. */
  advertiseAddress?: string | null
  /** The image of remote commands. Must have a shell, curl, du, gzip and base64. */
  remoteCommandImage?: string
  /** Looks up the credentials of a registry. Called at each create, update and pull. Absent: anonymous pulls. */
  credentialsFor?: CredentialsFor
  /** The timeout of calls that set none of their own. */
  timeoutMs?: number
}

export function dockerEngine(options: DockerOptions): Engine {
  const client = dockerClient(options.dockerHost, options.certPath ?? null, options.timeoutMs)
  const { installationId, networkName, credentialsFor = async () => null, remoteCommandImage = 'nginx:1' } = options
  const remoteCommands = dockerRemoteCommands(client, options, remoteCommandImage, credentialsFor)
  const jobs = dockerJobs(client, options, credentialsFor)
  const remote = remoteNode(client, remoteCommands, jobs)
  const own = ownNode(client)
  const ofContainers = containerLogs(client, own, remote)
  return {
    ping: () => ping(client),
    prepare: async () => {
      await ensureSwarm(client, options.advertiseAddress ?? null)
      await ensureNetwork(client, networkName, installationId)
      await remoteCommands.tidy()
      await removeLeftoverFiles(client, installationId)
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
    removeVolume: (name, nodeId) => removeVolume(client, own, remote, name, nodeId),
    hasVolume: (name, nodeId) => hasVolume(client, own, remote, name, nodeId),
    dataMark: (task, folder, fresh) =>
      onNodeOf(
        own,
        task,
        (id) => dataMark(client, id, folder, fresh),
        (id, nodeId) => remote.dataMark(nodeId, id, folder, fresh),
      ),
    run: (task, program, timeoutMs) =>
      onNodeOf(
        own,
        task,
        (id) => runProgram(client, id, program, timeoutMs),
        () => remote.run(task, program, timeoutMs),
      ),
    ...jobs,
    exitReport: (task) => exitReport(client, own, remote, task),
    logs: (serviceName, options, signal) =>
      serviceLogs(client, ofContainers, installationId, serviceName, options, signal),
    stats: (task) =>
      onNodeOf(
        own,
        task,
        (id) => usageOf(client, id),
        (id, nodeId) => remote.usage(nodeId, id),
      ),
    diskUsage: (task, path) =>
      onNodeOf(
        own,
        task,
        (id) => diskUsageOf(client, id, path),
        (id, nodeId) => remote.diskUsage(nodeId, id, path),
      ),
    image: (reference) => image(client, reference),
    pullImage: (reference, signal) => pullImage(client, credentialsFor, reference, signal),
    watch: (onEvent, signal) => watchEvents(client, onEvent, signal),
  }
}

async function ping(client: DockerClient): Promise<void> {
  const answer = (await client.bytes({ path: '/_ping' })).toString()
  if (answer.trim() !== 'OK') throw new EngineUnavailable('What answers in the place of the engine is something else')
}

async function detached(client: DockerClient, { installationId, networkName }: DockerOptions): Promise<Set<string>> {
  const query = { filters: { label: [`${installationLabel}=${installationId}`], status: ['running'] } }
  const containers = await client.call<ApiContainer[]>({ path: '/containers/json', query })
  const isOff = ({ NetworkSettings }: ApiContainer) => !Object.hasOwn(NetworkSettings?.Networks ?? {}, networkName)
  return new Set(containers.filter(isOff).map(({ Id }) => Id))
}

type ContainerCall<T> = (containerId: string, nodeId: string) => Promise<T>

/**
 * Calls `local`, and `remote` if the container is on another node: an engine knows only the containers of its own node.
 */
async function onNodeOf<T>(
  own: OwnNode,
  task: FoundTask,
  local: ContainerCall<T>,
  remote: ContainerCall<T>,
): Promise<T> {
  const { nodeId } = task
  const containerId = containerOf(task)
  try {
    return await local(containerId, nodeId ?? '')
  } catch (error) {
    if (!isMissing(error) || nodeId === null || nodeId === (await own())) throw error
  }
  return remote(containerId, nodeId)
}

function containerOf(task: FoundTask): string {
  if (task.containerId) return task.containerId
  throw new EngineFailure('conflict', `The task of ${task.serviceName} has no container: it is ${task.state}.`)
}

/**
 * Other nodes: the swarm's tasks tell which containers are live, even for a removed service. The own node: the list of
 * containers tells. A task there without a container counts as live, because the engine may be about to create the
 * container together with its volume.
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
  // The swarm may end a task before its container is started. Such a container never starts and may remain for long.
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
  remote: RemoteNode,
  name: string,
  nodeId: string,
): Promise<void> {
  const isLocal = nodeId === (await own())
  try {
    if (isLocal) await client.call({ method: 'DELETE', path: `/volumes/${encodeURIComponent(name)}` })
    else await remote.removeVolume(name, nodeId)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

async function hasVolume(
  client: DockerClient,
  own: OwnNode,
  remote: RemoteNode,
  name: string,
  nodeId: string,
): Promise<boolean> {
  try {
    if (nodeId === (await own())) await client.call({ path: `/volumes/${encodeURIComponent(name)}` })
    else await remote.findVolume(name, nodeId)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

async function dataMark(client: DockerClient, id: string, folder: string, fresh: string | null) {
  return parseMark(await runProgram(client, id, { argv: markArgv(folder, fresh), env: {} }, markMs))
}

async function exitReport(
  client: DockerClient,
  own: OwnNode,
  remote: RemoteNode,
  task: FoundTask,
): Promise<ExitReport> {
  if (task.containerId === null) return reportWithoutContainer(task)
  try {
    return await onNodeOf(
      own,
      task,
      (id) => readExitReport(client, id),
      (id, nodeId) => remote.readExitReport(task, nodeId, id),
    )
  } catch (error) {
    if (isMissing(error)) return reportWithoutContainer(task)
    throw error
  }
}
