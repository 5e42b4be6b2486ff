/**
 * The engine that is Docker Swarm: each method of the interface in terms of the API.
 * Keeps nothing in memory but the names of jobs under way. Knows containers and volumes of its own node only.
 */
import type { ApiContainer, ApiInfo } from './docker-api.ts'
import { dockerClient } from './docker-client.ts'
import type { DockerClient } from './docker-client.ts'
import { isMissing } from './docker-errors.ts'
import { runProgram } from './docker-exec.ts'
import { namedFrom } from './docker-found.ts'
import { image } from './docker-images.ts'
import { dockerJobs } from './docker-jobs.ts'
import { serviceLogs } from './docker-logs.ts'
import { examine } from './docker-mortem.ts'
import { bridgeAddresses, ensureNetwork } from './docker-network.ts'
import { dockerNodes } from './docker-nodes.ts'
import { allServices, createService, removeService, servicesNamed, tasksOf, updateService } from './docker-services.ts'
import { usageOf } from './docker-stats.ts'
import { ensureSwarm } from './docker-swarm.ts'
import { watchEvents } from './docker-watch.ts'
import { EngineRefused } from './engine.ts'
import type { CredentialsFor, Engine, FoundTask } from './engine.ts'
import { installationLabel } from './labels.ts'

export interface DockerOptions {
  /** unix:///path or tcp://host:port. */
  dockerHost: string
  /** A folder with ca.pem, cert.pem and key.pem, for TLS. */
  certPath?: string | null
  installationId: string
  networkName: string
  /** Address that other nodes reach this one by; null: the engine's choice. */
  advertiseAddress?: string | null
  /** Whom images are pulled as: without, as anybody. Asked at each create, update and pull. */
  credentialsFor?: CredentialsFor
  /** Of a call that is not bounded otherwise. */
  timeoutMs?: number
}

export function dockerEngine(options: DockerOptions): Engine {
  const client = dockerClient(options.dockerHost, options.certPath ?? null, options.timeoutMs)
  const { installationId, networkName, credentialsFor = async () => null } = options
  return {
    ping: async () => { await client.bytes({ path: '/_ping' }) },
    prepare: async () => {
      await ensureSwarm(client, options.advertiseAddress ?? null)
      await ensureNetwork(client, networkName, installationId)
    },
    ...dockerNodes(client, options),
    services: () => allServices(client, options),
    servicesNamed: async (names) => (await servicesNamed(client, names)).map(namedFrom),
    tasks: (names) => tasksOf(client, options, names),
    createService: (spec) => createService(client, options, credentialsFor, spec),
    updateService: (spec) => updateService(client, options, credentialsFor, spec),
    removeService: (name) => removeService(client, options, name),
    detached: () => detached(client, options),
    hostAddresses: () => bridgeAddresses(client),
    liveContainers: (serviceName) => liveContainers(client, serviceName),
    removeVolume: (name, nodeId) => removeVolume(client, name, nodeId),
    run: (task, program, timeoutMs) =>
      ofHere(client, task, 'Programs run', (containerId) => runProgram(client, containerId, program, timeoutMs)),
    ...dockerJobs(client, options, credentialsFor),
    postMortem: (task) => examine(client, task),
    logs: (serviceName, asked, signal) => serviceLogs(client, installationId, serviceName, asked, signal),
    stats: (task) => ofHere(client, task, 'Figures are taken', (containerId) => usageOf(client, containerId)),
    image: (reference) => image(client, reference),
    watch: (onEvent, signal) => watchEvents(client, onEvent, signal),
  }
}

async function detached(client: DockerClient, { installationId, networkName }: DockerOptions): Promise<Set<string>> {
  const query = { filters: { label: [`${installationLabel}=${installationId}`], status: ['running'] } }
  const containers = await client.call<ApiContainer[]>({ path: '/containers/json', query })
  const isOff = ({ NetworkSettings }: ApiContainer) => !Object.hasOwn(NetworkSettings?.Networks ?? {}, networkName)
  return new Set(containers.filter(isOff).map(({ Id }) => Id))
}

async function localNode(client: DockerClient): Promise<string> {
  return (await client.call<ApiInfo>({ path: '/info' })).Swarm.NodeID
}

async function onlyHere(client: DockerClient, nodeId: string | null, what: string): Promise<void> {
  if (nodeId === null || nodeId === await localNode(client)) return
  throw new EngineRefused(501, `${what} only on the node of Berth's own engine, and this is on node ${nodeId}.`)
}

/** Containers are known to the engine of their own node alone. */
async function ofHere<T>(
  client: DockerClient, task: FoundTask, what: string, work: (containerId: string) => Promise<T>,
): Promise<T> {
  try {
    return await work(containerOf(task))
  } catch (error) {
    if (isMissing(error)) await onlyHere(client, task.nodeId, what)
    throw error
  }
}

function containerOf(task: FoundTask): string {
  if (task.containerId) return task.containerId
  throw new EngineRefused(409, `The task of ${task.serviceName} has no container: it is ${task.state}.`)
}

async function liveContainers(client: DockerClient, serviceName: string): Promise<string[]> {
  const filters = { label: [`com.docker.swarm.service.name=${serviceName}`] }
  const containers = await client.call<ApiContainer[]>({ path: '/containers/json', query: { all: 'true', filters } })
  return containers.filter((it) => it.State !== 'exited').map((it) => (it.Names[0] ?? '').replace(/^\//, ''))
}

async function removeVolume(client: DockerClient, name: string, nodeId: string): Promise<void> {
  await onlyHere(client, nodeId, 'Volumes are removed')
  try {
    await client.call({ method: 'DELETE', path: `/volumes/${encodeURIComponent(name)}` })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
