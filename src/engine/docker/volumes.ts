/** Removes volumes, finds who uses them and recognizes their data, on the engine's own node and on other nodes. */
import type { DockerClient } from './transport/client.ts'
import { isMissing } from './transport/errors.ts'
import type { OwnNodeId } from './nodes/own-node.ts'
import type { RemoteNode } from './nodes/remote-node.ts'
import { runToEnd } from './jobs/run-to-end.ts'
import { namedFrom, volumeContainerFrom } from './services/from-api.ts'
import type { ApiContainer, ApiService, ApiVolume } from './transport/api.ts'
import { markArgv, parseMark } from '../data/data-mark.ts'
import { findFileArgv, parseHasFiles } from '../data/has-files.ts'
import type { Engine, NamedService } from '../engine.ts'
import { jobFolderPath } from '../job.ts'
import { ownObjects } from '../labels.ts'

const listTimeoutMs = 30_000

export function volumeMethods(
  client: DockerClient,
  ownNodeId: OwnNodeId,
  remote: RemoteNode,
  jobs: Pick<Engine, 'runJob'>,
  installationId: string,
): Pick<Engine, 'removeVolume' | 'volumeUse' | 'isVolumeEmpty' | 'ownVolumes' | 'volumeMark'> {
  const remove = async (name: string, nodeId: string) => {
    if (await isOwn(nodeId)) await client.call({ method: 'DELETE', path: pathOf(name) })
    else await remote.removeVolume(name, nodeId)
  }
  const servicesMounting = mountingServices(client)
  // A job of the database's image needs no other image on this node. It mounts the folder, because a mount of the volume
  // by its name would create the volume if it no longer existed, and would count as a use of the volume.
  const runOn = async (name: string, image: string, argv: string[]) => {
    const { Mountpoint: folder } = await client.call<ApiVolume>({ path: pathOf(name) })
    return runToEnd(jobs, { recordId: name, image, folder }, { argv, env: {} }, listTimeoutMs)
  }
  const isOwn = async (nodeId: string) => nodeId === (await ownNodeId())
  return {
    removeVolume: async (name, nodeId) => {
      await nullIfMissing(remove(name, nodeId))
    },
    isVolumeEmpty: async (name, nodeId, image) =>
      !((await isOwn(nodeId))
        ? parseHasFiles(await runOn(name, image, findFileArgv(jobFolderPath)))
        : await remote.hasFiles(nodeId, await remote.volumeFolder(name, nodeId))),
    ownVolumes: async (nodeId) => {
      const filters = { label: [ownObjects(installationId)] }
      const volumes = (await isOwn(nodeId))
        ? (await client.call<{ Volumes: ApiVolume[] | null }>({ path: '/volumes', query: { filters } })).Volumes
        : await remote.volumes(nodeId, filters)
      return (volumes ?? []).map(({ Name }) => Name)
    },
    volumeMark: async (name, nodeId, folder, image) =>
      (await isOwn(nodeId))
        ? parseMark(await runOn(name, image, markArgv(`${jobFolderPath}${folder}`, null)))
        : remote.volumeMark(nodeId, await remote.volumeFolder(name, nodeId), folder),
    volumeUse: async (name, nodeId) => {
      const isLocal = await isOwn(nodeId)
      const [services, onNode] = await Promise.all([
        servicesMounting(name),
        isLocal ? localUse(client, name) : remote.volumeUse(name, nodeId),
      ])
      return {
        exists: onNode.volume !== null,
        labels: onNode.volume?.Labels ?? {},
        services: services.filter((service) => service.nodeId === null || service.nodeId === nodeId),
        containers: onNode.containers.map(volumeContainerFrom),
      }
    },
  }
}

const pathOf = (name: string) => `/volumes/${encodeURIComponent(name)}`

async function localUse(client: DockerClient, name: string) {
  const [volume, containers] = await Promise.all([
    nullIfMissing(client.call<ApiVolume>({ path: pathOf(name) })),
    // Without `all`, the engine lists only containers that have not ended.
    client.call<ApiContainer[]>({ path: '/containers/json', query: { filters: { volume: [name] } } }),
  ])
  return { volume, containers }
}

/**
 * Returns a function that finds the services that mount a volume. The engine cannot filter services by their mounts.
 * Calls that wait at the same time share one list that is requested after all of them, because many databases can start
 * at once.
 */
function mountingServices(client: DockerClient): (volume: string) => Promise<NamedService[]> {
  let next: Promise<NamedService[]> | null = null
  let last: Promise<unknown> = Promise.resolve()
  const list = async () => (await client.call<ApiService[]>({ path: '/services' })).map(namedFrom)
  const request = () => {
    const after = last.catch(() => undefined)
    const services = after.then(() => {
      next = null
      return list()
    })
    last = services
    return services
  }
  return async (volume) => {
    next ??= request()
    return (await next).filter(({ volumes }) => volumes.includes(volume))
  }
}

/** Returns null if the volume does not exist. Throws every other failure. */
async function nullIfMissing<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}
