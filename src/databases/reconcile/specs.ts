/** Builds the specifications of a database's Swarm services from its target: the server and the gateway. Pure. */
import type { Config } from '../../config.ts'
import type { ImageStart } from '../../engine/engine.ts'
import { databaseLabel, generationLabel, kindLabel, roleLabel } from '../../engine/labels.ts'
import { sharedMemoryBytes } from '../../engine/shared-memory.ts'
import { clearedHealth } from '../../engine/data/clearance.ts'
import { hash, type Mount, type ServiceSpec } from '../../engine/spec.ts'
import { containerArguments, unknownStart } from '../../kinds/image-start.ts'
import { type ImageAliases, resolveImage } from '../../kinds/images.ts'
import type { Kind, Launch } from '../../kinds/kind.ts'
import { parseEnvFile } from '../../lib/text/env-file.ts'
import { splitShellWords } from '../../lib/text/shell-words.ts'
import type { DatabaseTable, VolumeTable } from '../../store/schema.ts'
import { pinOf, resolvedImage, type Target } from '../targets.ts'
import { tcpGateway } from '../../gateways/specs.ts'

const mebibyte = 1024 * 1024
const nano = 1_000_000_000
/**
 * The time for a server to stop before Docker kills it. Must be below one minute: after one minute Swarm starts the
 * next container even if the old one has not ended (source: `defaultOldTaskTimeout` of SwarmKit's restart supervisor).
 * Both would then write to the same files.
 */
const graceSeconds = 50

export type Identity = Pick<DatabaseTable, 'id' | 'kind' | 'appName'>
export type VolumeMount = Pick<VolumeTable, 'name' | 'dataPath' | 'nodeId' | 'generation'>

export const gatewayName = (databaseId: string) => `berth-gateway-${databaseId}`

/** The image reference from which the server is started. After the image is resolved, this is its digest or id. */
export function imageOf(target: Pick<Target, 'dockerImage' | 'image'>, aliases: ImageAliases): string {
  const resolved = resolvedImage(target)
  return resolved === null ? resolveImage(target.dockerImage, aliases) : pinOf(resolved)
}

/**
 * The specification of the database's server. It reaches clients only with its clearance. `command` and `env` were
 * validated when the target was stored.
 *
 * @param target the target with the secrets of the first start; see `startTarget`
 */
export function databaseSpec(
  identity: Identity,
  target: Target,
  mount: VolumeMount,
  kind: Kind,
  aliases: Config['imageAliases'],
  replicas: 0 | 1,
): ServiceSpec {
  const spec = openSpec(identity, target, mount, kind, aliases, replicas)
  const settings = { ...target.settings, ...Object.fromEntries(kind.secrets.map((name) => [name, ''])) }
  const clearance = clearanceOf(openSpec(identity, { ...target, settings }, mount, kind, aliases, replicas))
  return { ...spec, health: clearedHealth(kind.health, kind.dataPath(null), clearance) }
}

/**
 * The clearance of a server: a hash of everything in its specification that decides where its data is. The passwords of the
 * database are not part of it, because the clearance is a file on the volume. A secret in the owner's variables is, as one
 * of several inputs of the hash.
 */
const clearanceOf = ({ image, command, args, files, env, mounts }: ServiceSpec): string =>
  hash({ image, command, args, files, env, mounts: mounts.map(({ name, path }) => [name, path]) })

/**
 * The specification of a server that every client reaches as soon as it answers.
 *
 * @param added arguments for a temporary server
 */
export function openSpec(
  identity: Identity,
  target: Target,
  mount: VolumeMount,
  kind: Kind,
  aliases: Config['imageAliases'],
  replicas: 0 | 1,
  added: readonly string[] = [],
): ServiceSpec {
  const start = resolvedImage(target)?.start
  const own = splitShellWords(target.command ?? '')
  const { before, needsHostname, args, files } = launchOf(kind, start ?? unknownStart, { ...target, own, added })
  return {
    name: identity.appName,
    labels: {
      [databaseLabel]: identity.id,
      ...generationLabels(mount),
      [kindLabel]: identity.kind,
      [roleLabel]: 'database',
    },
    image: imageOf(target, aliases),
    ...(needsHostname === true ? { hostname: identity.appName } : {}),
    env: { ...parseEnvFile(target.env ?? '').values, ...kind.env(target.settings) },
    mounts: [dataMount(identity, mount), sharedMemory(target)],
    ...(before === undefined ? {} : { command: [...before, ...(start ?? unknownStart).entrypoint] }),
    args,
    files,
    health: kind.health,
    ports: [],
    user: null,
    capabilities: null,
    nodeId: mount.nodeId,
    memoryLimitBytes: scale(target.memoryLimit, mebibyte),
    memoryReservationBytes: scale(target.memoryReservation, mebibyte),
    cpuLimitNano: scale(target.cpuLimit, nano),
    cpuReservationNano: scale(target.cpuReservation, nano),
    stopGraceSeconds: graceSeconds,
    replicas,
    restarts: target.restarts,
  }
}

interface LaunchArguments {
  own: readonly string[]
  added: readonly string[]
}

/**
 * How the server is started from its image.
 *
 * An image that takes no arguments starts without them.
 *
 * @param own the arguments of the caller
 * @param added arguments for a temporary server
 */
export function launchOf(
  kind: Kind,
  image: ImageStart,
  { settings, memoryLimit, own, added }: Pick<Target, 'settings' | 'memoryLimit'> & LaunchArguments,
): Launch {
  const found = containerArguments(kind, image, own, added)
  const args = typeof found === 'string' ? [] : found
  return kind.launch?.(settings, args, memoryLimit) ?? { args, files: [] }
}

/** The specifications of the server and, if the target has an external port, of the gateway. */
export function specsOf(
  identity: Identity,
  target: Target,
  mount: VolumeMount,
  kind: Kind,
  config: Pick<Config, 'imageAliases' | 'gatewayImage'>,
): { database: ServiceSpec; gateway: ServiceSpec | null } {
  const database = databaseSpec(identity, target, mount, kind, config.imageAliases, 1)
  const port = target.externalPort
  return { database, gateway: port === null ? null : gatewaySpec(identity, port, mount, kind, config.gatewayImage) }
}

/** None for a volume of an older version of Berth: with other labels of its mount, its container would restart. */
const generationLabels = ({ generation }: VolumeMount): Record<string, string> =>
  generation === 0 ? {} : { [generationLabel]: String(generation) }

function dataMount(identity: Identity, mount: VolumeMount): Mount {
  const owner = mount.generation === 0 ? {} : { [databaseLabel]: identity.id, ...generationLabels(mount) }
  const labels = { [kindLabel]: identity.kind, 'berth.app-name': identity.appName, ...owner }
  return { type: 'volume', path: mount.dataPath, name: mount.name, sizeBytes: 0, labels }
}

const sharedMemory = ({ memoryLimit }: Target): Mount => ({
  type: 'tmpfs',
  path: '/dev/shm',
  name: '',
  sizeBytes: sharedMemoryBytes(memoryLimit),
  labels: {},
})

function scale(value: number | null, unit: number) {
  return value === null ? null : Math.round(value * unit)
}

/** The TCP gateway that publishes the external port. Changing the port restarts the gateway and not the database. */
export function gatewaySpec(
  identity: Identity,
  externalPort: number,
  mount: VolumeMount,
  kind: Kind,
  gatewayImage: string,
): ServiceSpec {
  return tcpGateway({
    name: gatewayName(identity.id),
    labels: { [databaseLabel]: identity.id, [roleLabel]: 'gateway' },
    image: gatewayImage,
    nodeId: mount.nodeId,
    published: externalPort,
    target: identity.appName,
    targetPort: kind.port,
    maxTargets: 1,
  })
}
