/**
 * The Docker Swarm implementation of the Engine interface. The only state in memory is the running jobs, the clients
 * of the nodes with the version of their API, and for a few seconds the id of the engine's own node.
 */
import { dockerClient } from './transport/client.ts'
import type { DockerClient } from './transport/client.ts'
import { containerMethods } from './containers.ts'
import { containerLogs } from './logs/container-logs.ts'
import { removeLeftoverFiles } from './services/configs.ts'
import { nodeClients } from './nodes/node-clients.ts'
import { namedFrom } from './services/from-api.ts'
import { imageMethods, imageProvider } from './services/images.ts'
import { dockerJobs } from './jobs/jobs.ts'
import { serviceLogs } from './logs/logs.ts'
import { ensureNetwork } from './services/network.ts'
import { dockerNodes } from './nodes/nodes.ts'
import { cachedOwnNodeId } from './nodes/own-node.ts'
import { pingNode } from './nodes/ping-node.ts'
import {
  allServices,
  createService,
  type EngineScope,
  removeService,
  renewCredentials,
  servicesNamed,
  tasksOf,
  updateService,
} from './services/services.ts'
import { ensureSwarm } from './nodes/swarm.ts'
import { volumeMethods } from './volumes.ts'
import { watchEvents } from './events.ts'
import { EngineFailure, EngineUnavailable } from '../engine.ts'
import type { CredentialsFor, Engine } from '../engine.ts'
import type { ConnectionTo } from '../node-connection.ts'

export interface DockerOptions {
  /** `unix:///path` or `tcp://host:port`. */
  dockerHost: string
  /** For TLS: a folder with ca.pem, cert.pem and key.pem. */
  certPath?: string | null
  installationId: string
  networkName: string
  /** The address at which other nodes reach this one; null: the engine chooses. */
  advertiseAddress?: string | null
  /** Returns how to reach the engines of other nodes. Absent: only the engine's own node can be reached. */
  connectionTo?: ConnectionTo
  /** Looks up the credentials of a registry. Called at each create, update and pull. Absent: anonymous pulls. */
  credentialsFor?: CredentialsFor
  /** The timeout of calls that set none of their own. */
  timeoutMs?: number
}

export function dockerEngine(options: DockerOptions): Engine {
  const client = dockerClient(options.dockerHost, options.certPath ?? null, options.timeoutMs)
  const { installationId, networkName, credentialsFor = async () => null, connectionTo = noConnection } = options
  const ownNodeId = cachedOwnNodeId(client)
  const nodes = nodeClients(client, ownNodeId, connectionTo, options.timeoutMs)
  const provideImage = imageProvider(client, credentialsFor)
  const logsOfContainers = containerLogs(client, nodes)
  const jobs = dockerJobs({ own: client, scope: options, nodes, ownNodeId, provideImage })
  return {
    ping: () => ping(client),
    prepare: async () => {
      await ensureSwarm(client, options.advertiseAddress ?? null)
      await ensureNetwork(client, networkName, installationId)
      await removeLeftoverFiles(client, installationId)
    },
    ...dockerNodes(client, ownNodeId, options),
    pingNode: async (nodeId) => pingNode(nodeId, await connectionTo(nodeId)),
    ...serviceMethods(client, options, credentialsFor),
    ...volumeMethods(nodes),
    ...containerMethods(client, options, ownNodeId, nodes),
    ...imageMethods(nodes, credentialsFor, provideImage),
    ...jobs,
    logs: (serviceName, logOptions, signal) =>
      serviceLogs(client, logsOfContainers, installationId, serviceName, logOptions, signal),
    watch: (onEvent, signal) => watchEvents(client, onEvent, signal),
  }
}

const noConnection: ConnectionTo = async (nodeId) => {
  throw new EngineFailure('nodeUnreachable', `Berth has no connection to the engine of node ${nodeId}`)
}

async function ping(client: DockerClient): Promise<void> {
  const body = (await client.bytes({ path: '/_ping' })).toString()
  if (body.trim() === 'OK') return
  throw new EngineUnavailable('The server at DOCKER_HOST is not a Docker engine: its answer to GET /_ping is not "OK"')
}

type ServiceMethod =
  | 'services'
  | 'servicesNamed'
  | 'tasks'
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
    tasks: (names) => tasksOf(client, scope, names),
    createService: (spec) => createService(client, scope, credentialsFor, spec),
    updateService: (spec) => updateService(client, scope, credentialsFor, spec),
    renewCredentials: (name) => renewCredentials(client, scope, credentialsFor, name),
    removeService: (name) => removeService(client, scope, name),
  }
}
