/**
 * Reads and changes services of the swarm, and reads their tasks. Changes only services with this installation's label.
 * Has no access to containers and volumes.
 */
import type { ApiService, ApiTask } from '../transport/api.ts'
import type { Call } from '../transport/call.ts'
import type { DockerClient } from '../transport/client.ts'
import { removeUnusedFiles, filePathsOf, ensureFiles } from './configs.ts'
import { isMissing, isOutOfSequence } from '../transport/errors.ts'
import { newestFirst, serviceFrom, taskFrom } from './from-api.ts'
import { ensureNetwork, networkId } from './network.ts'
import { authHeader, authHeaderForUpdate } from './registry-auth.ts'
import { networkOf, serviceBody } from './spec.ts'
import { EngineFailure } from '../../engine.ts'
import type { CredentialsFor, FoundService, FoundTask, NamedService } from '../../engine.ts'
import { installationLabel, isOwnObject } from '../../labels.ts'
import type { ServiceSpec } from '../../spec.ts'

/** The installation and the network that services and jobs belong to. */
export interface EngineScope {
  installationId: string
  networkName: string
}

/** The maximum number of names or ids in a query. For more, the query has no filter, and Berth filters the answer. */
const maxNames = 500
const maxRetries = 8

/** All services of the swarm with their task counts. */
export async function allServices(client: DockerClient, scope: EngineScope): Promise<FoundService[]> {
  const [services, id] = await Promise.all([
    client.call<ApiService[]>({ path: '/services', query: { status: 'true' } }),
    networkId(client, scope.networkName),
  ])
  const networkNames = new Set(id === null ? [scope.networkName] : [scope.networkName, id])
  return services.map((service) => serviceFrom(service, networkNames))
}

/** Returns the services with these names. Filters the engine's answer, because the engine's filter matches prefixes. */
export async function servicesNamed(client: DockerClient, names: string[]): Promise<ApiService[]> {
  if (names.length === 0) return []
  const wanted = new Set(names)
  const filters = names.length <= maxNames ? { name: names } : {}
  const services = await client.call<ApiService[]>({ path: '/services', query: { filters } })
  return services.filter((it) => wanted.has(it.Spec.Name))
}

/** See `Engine.tasks` in engine/engine.ts. Retries if a service is removed between the two requests below. */
export async function tasksNamed(client: DockerClient, scope: EngineScope, names?: string[]): Promise<FoundTask[]> {
  return retryOnRace(isMissing, async () => {
    const services = names ? await servicesNamed(client, names) : await ownServices(client, scope)
    if (services.length === 0) return []
    const nameOf = new Map(services.map((it) => [it.ID, it.Spec.Name]))
    return readTasks(client, scope, nameOf, names ? serviceFilter([...nameOf.keys()]) : wantedFilter)
  })
}

/** See `Engine.tasksOf` in engine/engine.ts. If one of the services was removed, reads the services again. */
export async function tasksOf(
  client: DockerClient,
  scope: EngineScope,
  services: readonly NamedService[],
): Promise<FoundTask[]> {
  if (services.length === 0) return []
  const nameOf = new Map(services.map(({ id, name }) => [id, name]))
  try {
    return await readTasks(client, scope, nameOf, serviceFilter([...nameOf.keys()]))
  } catch (error) {
    if (!isMissing(error)) throw error
    return tasksNamed(client, scope, [...nameOf.values()])
  }
}

const wantedFilter = { 'desired-state': ['running', 'ready'] }

/** @param nameOf the names of the services by their ids */
async function readTasks(
  client: DockerClient,
  scope: EngineScope,
  nameOf: ReadonlyMap<string, string>,
  filters: Record<string, string[]>,
): Promise<FoundTask[]> {
  const tasks = await client.call<ApiTask[]>({ path: '/tasks', query: { filters } })
  return tasks
    .flatMap((task) => {
      const name = nameOf.get(task.ServiceID ?? '')
      return name === undefined ? [] : [taskFrom(task, name, scope.networkName)]
    })
    .sort(newestFirst)
}

/** With this filter, the engine answers 404 to the request if one of the services does not exist any more. */
function serviceFilter(ids: string[]): Record<string, string[]> {
  return ids.length <= maxNames ? { service: ids } : {}
}

function ownServices(client: DockerClient, scope: EngineScope): Promise<ApiService[]> {
  const filters = { label: [`${installationLabel}=${scope.installationId}`] }
  return client.call<ApiService[]>({ path: '/services', query: { filters } })
}

export async function createService(
  client: DockerClient,
  scope: EngineScope,
  credentialsFor: CredentialsFor,
  spec: ServiceSpec,
): Promise<void> {
  await write(client, scope, spec, { path: '/services/create', headers: await authHeader(credentialsFor, spec.image) })
}

export async function updateService(
  client: DockerClient,
  scope: EngineScope,
  credentialsFor: CredentialsFor,
  spec: ServiceSpec,
): Promise<void> {
  const headers = await authHeaderForUpdate(credentialsFor, spec.image)
  const before = await retryOnRace(isOutOfSequence, async () => {
    const service = await ownService(client, scope, spec.name)
    if (!service) throw new EngineFailure('missing', `service ${spec.name} not found`)
    const query = { version: service.Version.Index }
    await write(client, scope, spec, { path: `/services/${service.ID}/update`, query, headers })
    return service
  })
  if (spec.files.length > 0 || filePathsOf(before).length > 0)
    await removeReplacedFiles(client, scope, spec.name, before)
}

/**
 * Updates the service with its own specification. The swarm replaces no tasks while the specification stays the same.
 */
export async function renewCredentials(
  client: DockerClient,
  { installationId }: EngineScope,
  credentialsFor: CredentialsFor,
  name: string,
): Promise<void> {
  await retryOnRace(isOutOfSequence, async () => {
    const [service] = await servicesNamed(client, [name])
    if (!service || !isOwnObject(service.Spec.Labels ?? {}, installationId)) return
    const headers = await authHeaderForUpdate(credentialsFor, service.Spec.TaskTemplate.ContainerSpec?.Image ?? '')
    const query = { version: service.Version.Index }
    await client.call({ method: 'POST', path: `/services/${service.ID}/update`, query, headers, body: service.Spec })
  })
}

export async function removeService(client: DockerClient, scope: EngineScope, name: string): Promise<void> {
  const service = await ownService(client, scope, name)
  if (!service) return
  try {
    await client.call({ method: 'DELETE', path: `/services/${service.ID}` })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  await removeUnusedFiles(client, filePathsOf(service))
}

/** Returns the service, or undefined if there is none. Throws EngineFailure `conflict` if it is someone else's. */
async function ownService(client: DockerClient, scope: EngineScope, name: string): Promise<ApiService | undefined> {
  const [service] = await servicesNamed(client, [name])
  if (!service || isOwnObject(service.Spec.Labels ?? {}, scope.installationId)) return service
  throw new EngineFailure('conflict', `The service ${name} does not belong to this Berth installation`)
}

/**
 * Sends the specification with its files. If someone else removed the network or a config, creates the missing object
 * again and retries one time.
 */
async function write(client: DockerClient, scope: EngineScope, spec: ServiceSpec, call: Call): Promise<void> {
  const send = async () => {
    const files = await ensureFiles(client, scope.installationId, spec.files)
    await client.call({ ...call, method: 'POST', body: serviceBody(spec, { ...scope, files }) })
  }
  try {
    await send()
  } catch (error) {
    if (!isMissing(error)) throw error
    await ensureNetwork(client, networkOf(spec, scope.networkName), scope.installationId, spec.isIsolated)
    await send()
  }
}

async function removeReplacedFiles(
  client: DockerClient,
  scope: EngineScope,
  name: string,
  before: ApiService,
): Promise<void> {
  const now = await ownService(client, scope, name)
  const kept = new Set(now ? filePathsOf(now) : [])
  await removeUnusedFiles(
    client,
    filePathsOf(before).filter((path) => !kept.has(path)),
  )
}

/**
 * Repeats `work` up to 8 times while `isRace` reports that a concurrent writer caused its error. `work` has to read the
 * object again each time.
 */
export async function retryOnRace<T>(isRace: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  for (let retries = maxRetries; ; retries--) {
    try {
      return await work()
    } catch (error) {
      if (retries === 0 || !isRace(error)) throw error
    }
  }
}
