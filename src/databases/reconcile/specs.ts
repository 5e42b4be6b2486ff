/** Builds the specifications of a database's Swarm services from its target: the server and the gateway. Pure. */
import type { Config } from '../../config.ts'
import { roleLabel } from '../../engine/labels.ts'
import type { Mount, ServiceSpec } from '../../engine/spec.ts'
import { type ImageAliases, resolveImage, versionOfTag } from '../../kinds/images.ts'
import type { Kind } from '../../kinds/kind.ts'
import { tlsModeOf } from '../../kinds/server-tls.ts'
import { parseEnvFile } from '../../lib/text/env-file.ts'
import { splitShellWords } from '../../lib/text/shell-words.ts'
import type { DatabaseTable, VolumeTable } from '../../store/schema.ts'
import { pinOf, resolvedImage, type Target } from '../targets.ts'
import { gatewayNameOf } from '../../gateways/own-names.ts'
import type { GatewayProxy } from '../../gateways/sources/control.ts'
import { openTcpGateway, type TcpGateway, tcpGateway } from '../../gateways/specs.ts'
import { tlsMount } from '../tls/files.ts'

const mebibyte = 1024 * 1024
const nano = 1_000_000_000
/**
 * The time for a server to stop before Docker kills it. Must be below one minute: after one minute Swarm starts the
 * next container even if the old one has not ended (source: `defaultOldTaskTimeout` of SwarmKit's restart supervisor).
 * Both would then write to the same files.
 */
const graceSeconds = 50

export type Identity = Pick<DatabaseTable, 'id' | 'kind' | 'appName'>
export type VolumeMount = Pick<VolumeTable, 'id' | 'name' | 'dataPath' | 'nodeId'>

export const gatewayName = (databaseId: string) => gatewayNameOf({ kind: 'database', id: databaseId })

/** The image reference from which the server is started. After the image is resolved, this is its digest or id. */
export function imageOf(target: Pick<Target, 'dockerImage' | 'image'>, aliases: ImageAliases): string {
  const resolved = resolvedImage(target)
  return resolved === null ? resolveImage(target.dockerImage, aliases) : pinOf(resolved)
}

/** The specification of the database's server. `command` and `env` were validated when the target was stored. */
export function databaseSpec(
  identity: Identity,
  target: Target,
  mount: VolumeMount,
  kind: Kind,
  aliases: Config['imageAliases'],
  replicas: 0 | 1,
): ServiceSpec {
  const commandArguments = splitShellWords(target.command ?? '')
  const tls = tlsModeOf(kind, target.tls)
  const version = resolvedImage(target)?.version ?? versionOfTag(target.dockerImage, kind, aliases)
  const tlsMounts = tls === 'off' ? [] : [tlsMount(mount.id)]
  return {
    name: identity.appName,
    labels: { 'berth.database': identity.id, 'berth.kind': identity.kind, [roleLabel]: 'database' },
    image: imageOf(target, aliases),
    env: { ...parseEnvFile(target.env ?? '').values, ...kind.env(target.settings) },
    mounts: [dataMount(identity, mount), sharedMemory(target), ...tlsMounts],
    health: kind.health,
    ...(kind.launch?.(target.settings, commandArguments, target.memoryLimit, tls, version) ?? {
      args: commandArguments,
      files: [],
    }),
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

/**
 * The specifications of the server and, if the target has an external port, of the gateway. `openGateway`: the gateway as
 * earlier versions of Berth created it, which may keep running while no list applies to it.
 */
export function specsOf(
  identity: Identity,
  target: Target,
  mount: VolumeMount,
  kind: Kind,
  config: Pick<Config, 'imageAliases' | 'gatewayImage'>,
): { database: ServiceSpec; gateway: ServiceSpec | null; openGateway: ServiceSpec | null } {
  const database = databaseSpec(identity, target, mount, kind, config.imageAliases, 1)
  const port = target.externalPort
  if (port === null) return { database, gateway: null, openGateway: null }
  const options = gatewayOptions(identity, target, port, mount, kind, config.gatewayImage)
  return { database, gateway: tcpGateway(options), openGateway: openTcpGateway(options) }
}

function dataMount(identity: Identity, mount: VolumeMount): Mount {
  const labels = { 'berth.kind': identity.kind, 'berth.app-name': identity.appName }
  return { type: 'volume', path: mount.dataPath, name: mount.name, sizeBytes: 0, labels }
}

/**
 * The mount of /dev/shm. With Docker's default of 64 MiB, parallel queries of PostgreSQL fail. Shared memory counts
 * against the memory limit, so its size is a quarter of the limit, or 1 GiB without a limit.
 */
function sharedMemory({ memoryLimit }: Target): Mount {
  const sizeBytes = memoryLimit === null ? 1024 * mebibyte : Math.round((memoryLimit * mebibyte) / 4)
  return { type: 'tmpfs', path: '/dev/shm', name: '', sizeBytes, labels: {} }
}

function scale(value: number | null, unit: number) {
  return value === null ? null : Math.round(value * unit)
}

/** The port of the server for clients with TLS. Clients without TLS may have the same port. */
function tlsPortOf(kind: Kind, target: Pick<Target, 'tls'>): number {
  const mode = tlsModeOf(kind, target.tls)
  return mode === 'off' ? kind.port : kind.tls!.port(mode)
}

/** The proxies of the gateway that clients use. A server with one port for all clients has one proxy. */
export function usedProxies(kind: Kind, target: Pick<Target, 'tls'>): GatewayProxy[] {
  if (tlsPortOf(kind, target) === kind.port) return ['target']
  return target.tls === 'require' ? ['tls'] : ['target', 'tls']
}

/** The TCP gateway that publishes the external port. Changing the port restarts the gateway and not the database. */
function gatewayOptions(
  identity: Identity,
  target: Pick<Target, 'tls'>,
  externalPort: number,
  mount: VolumeMount,
  kind: Kind,
  gatewayImage: string,
): TcpGateway {
  const tlsPort = tlsPortOf(kind, target)
  return {
    name: gatewayName(identity.id),
    labels: { 'berth.database': identity.id, [roleLabel]: 'gateway' },
    image: gatewayImage,
    nodeId: mount.nodeId,
    published: externalPort,
    target: identity.appName,
    targetPort: kind.port,
    maxTargets: 1,
    ...(tlsPort === kind.port ? {} : { tlsTargetPort: tlsPort }),
  }
}
