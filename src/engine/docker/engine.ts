/**
 * The Docker Swarm implementation of the Engine interface. The only state in memory is the running jobs, the names of
 * remote commands in progress, the version of the API, and for a few seconds the id of the engine's own node.
 */
import { freemem } from 'node:os'
import type { ApiInfo } from './transport/api.ts'
import { dockerClient } from './transport/client.ts'
import type { DockerClient } from './transport/client.ts'
import { containerMethods } from './containers.ts'
import { containerLogs } from './logs/container-logs.ts'
import { removeLeftoverFiles } from './services/configs.ts'
import { remoteNode } from './nodes/remote-node.ts'
import { dockerRemoteCommands } from './nodes/remote-commands.ts'
import { namedFrom, specFrom } from './services/from-api.ts'
import { image, pullImage } from './services/images.ts'
import { dockerJobs } from './jobs/jobs.ts'
import { serviceLogs } from './logs/logs.ts'
import { containerNetworks, ensureNetwork } from './services/network.ts'
import { dockerCharge } from './nodes/charge.ts'
import { dockerNodes } from './nodes/nodes.ts'
import { cachedOwnNodeId } from './nodes/own-node.ts'
import {
  allServices,
  createService,
  type EngineScope,
  removeService,
  renewCredentials,
  servicesNamed,
  tasksNamed,
  tasksOf,
  updateService,
} from './services/services.ts'
import { ensureSwarm } from './nodes/swarm.ts'
import { volumeMethods } from './volumes.ts'
import { watchEvents } from './events.ts'
import { EngineUnavailable } from '../engine.ts'
import type { CredentialsFor, Engine } from '../engine.ts'
import { isOwnObject } from '../labels.ts'

export interface DockerOptions {
  /** `unix:///path` or `tcp://host:port`. */
  dockerHost: string
  /** For TLS: a folder with ca.pem, cert.pem and key.pem. */
  certPath?: string | null
  installationId: string
  networkName: string
  /** The address at which other nodes reach this one; null: the engine chooses. */
  advertiseAddress?: string | null
  /** The image of remote commands. Must have a shell, curl, du, dd, head, timeout, gzip and base64. */
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
  const ownNodeId = cachedOwnNodeId(client)
  const readContainerLogs = containerLogs(client, ownNodeId, remote)
  return {
    ping: () => ping(client),
    prepare: async () => {
      await ensureSwarm(client, options.advertiseAddress ?? null)
      await ensureNetwork(client, networkName, installationId)
      await remoteCommands.removeLeftovers()
      await removeLeftoverFiles(client, installationId)
    },
    containerNetworks: () => containerNetworks(client),
    availableMemoryBytes: () => availableMemoryBytes(client, options.dockerHost),
    ...dockerNodes(client, ownNodeId, options),
    ...dockerCharge(client, options),
    ...serviceMethods(client, options, credentialsFor),
    ...volumeMethods(client, ownNodeId, remote, jobs, installationId),
    ...containerMethods(client, options, ownNodeId, remote),
    ...jobs,
    logs: (serviceName, logOptions, signal) =>
      serviceLogs(client, readContainerLogs, installationId, serviceName, logOptions, signal),
    image: (reference) => image(client, reference),
    pullImage: (reference, signal) => pullImage(client, credentialsFor, reference, signal),
    watch: (onEvent, signal) => watchEvents(client, installationId, onEvent, signal),
  }
}

/** On Linux, `freemem` counts the page cache that the kernel can drop. Of another machine, only the size is known. */
async function availableMemoryBytes(client: DockerClient, dockerHost: string): Promise<number> {
  if (dockerHost.startsWith('unix:')) return freemem()
  return (await client.call<ApiInfo>({ path: '/info' })).MemTotal
}

async function ping(client: DockerClient): Promise<void> {
  const body = (await client.bytes({ path: '/_ping' })).toString()
  if (body.trim() === 'OK') return
  throw new EngineUnavailable('The server at DOCKER_HOST is not a Docker engine: its answer to GET /_ping is not "OK"')
}

type ServiceMethod =
  | 'services'
  | 'servicesNamed'
  | 'foundSpec'
  | 'tasks'
  | 'tasksOf'
  | 'createService'
  | 'updateService'
  | 'renewCredentials'
  | 'removeService'

function serviceMethods(
  client: DockerClient,
  scope: EngineScope,
  credentialsFor: CredentialsFor,
): Pick<Engine, ServiceMethod> {
  return {
    services: () => allServices(client, scope),
    servicesNamed: async (names) => (await servicesNamed(client, names)).map(namedFrom),
    foundSpec: async (name) => {
      const [service] = await servicesNamed(client, [name])
      return service !== undefined && isOwnObject(service.Spec.Labels ?? {}, scope.installationId)
        ? specFrom(service.Spec)
        : null
    },
    tasks: (names) => tasksNamed(client, scope, names),
    tasksOf: (services) => tasksOf(client, scope, services),
    createService: (spec) => createService(client, scope, credentialsFor, spec),
    updateService: (spec) => updateService(client, scope, credentialsFor, spec),
    renewCredentials: (name) => renewCredentials(client, scope, credentialsFor, name),
    removeService: (name) => removeService(client, scope, name),
  }
}
