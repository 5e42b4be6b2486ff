/**
 * Services and their tasks in the swarm. Changes only what carries this installation's label.
 * Knows neither containers nor volumes.
 */
import type { ApiService, ApiTask } from '../transport/api.ts'
import type { Call } from '../transport/call.ts'
import type { DockerClient } from '../transport/client.ts'
import { dropUnused, heldBy, holdFiles } from './configs.ts'
import { isMissing, isOutOfSequence } from '../transport/errors.ts'
import { newestFirst, serviceFrom, taskFrom } from './found.ts'
import { ensureNetwork, networkId } from './network.ts'
import { authHeader, authHeaderAnew } from './registry-auth.ts'
import { serviceBody } from './spec.ts'
import { EngineFailure } from '../../engine.ts'
import type { CredentialsFor, FoundService, FoundTask } from '../../engine.ts'
import { installationLabel, isOurs } from '../../labels.ts'
import type { ServiceSpec } from '../../spec.ts'

export interface Place {
  installationId: string
  networkName: string
}

/** The longest list that is put into a query; beyond it everything is read, and sorted out here. */
const maxNames = 500
const maxAttempts = 8

/** All services of the swarm, with what they are doing. */
export async function allServices(client: DockerClient, place: Place): Promise<FoundService[]> {
  const [services, id] = await Promise.all([
    client.call<ApiService[]>({ path: '/services', query: { status: 'true' } }),
    networkId(client, place.networkName),
  ])
  const networkNames = new Set(id === null ? [place.networkName] : [place.networkName, id])
  return services.map((it) => serviceFrom(it, networkNames))
}

/** Those of these names that exist. The engine's own filter takes a name for a prefix. */
export async function servicesNamed(client: DockerClient, names: string[]): Promise<ApiService[]> {
  if (names.length === 0) return []
  const wanted = new Set(names)
  const filters = names.length <= maxNames ? { name: names } : {}
  const found = await client.call<ApiService[]>({ path: '/services', query: { filters } })
  return found.filter((it) => wanted.has(it.Spec.Name))
}

export async function tasksOf(client: DockerClient, place: Place, names?: string[]): Promise<FoundTask[]> {
  return attempt(isMissing, async () => {
    const services = names ? await servicesNamed(client, names) : await ownServices(client, place)
    if (services.length === 0) return []
    const nameOf = new Map(services.map((it) => [it.ID, it.Spec.Name]))
    const query = { filters: names ? narrow([...nameOf.keys()]) : { 'desired-state': ['running', 'ready'] } }
    const tasks = await client.call<ApiTask[]>({ path: '/tasks', query })
    return tasks
      .flatMap((it) => {
        const name = nameOf.get(it.ServiceID ?? '')
        return name === undefined ? [] : [taskFrom(it, name, place.networkName)]
      })
      .sort(newestFirst)
  })
}

/** The engine refuses the whole list when one of these services was removed meanwhile. */
function narrow(ids: string[]): Record<string, string[]> {
  return ids.length <= maxNames ? { service: ids } : {}
}

function ownServices(client: DockerClient, place: Place): Promise<ApiService[]> {
  const filters = { label: [`${installationLabel}=${place.installationId}`] }
  return client.call<ApiService[]>({ path: '/services', query: { filters } })
}

export async function createService(
  client: DockerClient,
  place: Place,
  credentialsFor: CredentialsFor,
  spec: ServiceSpec,
): Promise<void> {
  await write(client, place, spec, { path: '/services/create', headers: await authHeader(credentialsFor, spec.image) })
}

export async function updateService(
  client: DockerClient,
  place: Place,
  credentialsFor: CredentialsFor,
  spec: ServiceSpec,
): Promise<void> {
  const headers = await authHeaderAnew(credentialsFor, spec.image)
  const before = await attempt(isOutOfSequence, async () => {
    const service = await own(client, place, spec.name)
    if (!service) throw new EngineFailure('missing', `service ${spec.name} not found`)
    const query = { version: service.Version.Index }
    await write(client, place, spec, { path: `/services/${service.ID}/update`, query, headers })
    return service
  })
  if (spec.files.length > 0 || heldBy(before).length > 0) await dropReplaced(client, place, spec.name, before)
}

/** Its own specification again. The swarm makes new tasks for other specifications alone, whoever pulls for them. */
export async function renewCredentials(
  client: DockerClient,
  { installationId }: Place,
  credentialsFor: CredentialsFor,
  name: string,
): Promise<void> {
  await attempt(isOutOfSequence, async () => {
    const [service] = await servicesNamed(client, [name])
    if (!service || !isOurs(service.Spec.Labels ?? {}, installationId)) return
    const headers = await authHeaderAnew(credentialsFor, service.Spec.TaskTemplate.ContainerSpec?.Image ?? '')
    const query = { version: service.Version.Index }
    await client.call({ method: 'POST', path: `/services/${service.ID}/update`, query, headers, body: service.Spec })
  })
}

export async function removeService(client: DockerClient, place: Place, name: string): Promise<void> {
  const service = await own(client, place, name)
  if (!service) return
  try {
    await client.call({ method: 'DELETE', path: `/services/${service.ID}` })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  await dropUnused(client, heldBy(service))
}

async function own(client: DockerClient, place: Place, name: string): Promise<ApiService | undefined> {
  const [service] = await servicesNamed(client, [name])
  if (!service || isOurs(service.Spec.Labels ?? {}, place.installationId)) return service
  throw new EngineFailure('conflict', `service ${name} was not made by this installation of Berth`)
}

/** A network or a config that someone took away is made again, once. */
async function write(client: DockerClient, place: Place, spec: ServiceSpec, call: Call): Promise<void> {
  const send = async () => {
    const files = await holdFiles(client, place.installationId, spec.files)
    await client.call({ ...call, method: 'POST', body: serviceBody(spec, { ...place, files }) })
  }
  try {
    await send()
  } catch (error) {
    if (!isMissing(error)) throw error
    await ensureNetwork(client, place.networkName, place.installationId)
    await send()
  }
}

async function dropReplaced(client: DockerClient, place: Place, name: string, before: ApiService): Promise<void> {
  const now = await own(client, place, name)
  const kept = new Set(now ? heldBy(now) : [])
  await dropUnused(
    client,
    heldBy(before).filter((path) => !kept.has(path)),
  )
}

/** Again, from the reading on, while the error is one that another writer causes. */
export async function attempt<T>(isRace: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  for (let left = maxAttempts; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (left === 0 || !isRace(error)) throw error
    }
  }
}
