/** Target -> specifications of the services that it takes: the database's own and its gateway's. Pure. */
import type { Config } from '../../config.ts'
import { roleLabel } from '../../engine/labels.ts'
import type { Mount, ServiceSpec } from '../../engine/spec.ts'
import { type ImageAliases, resolveImage } from '../../kinds/images.ts'
import type { Kind } from '../../kinds/kind.ts'
import { parseEnvFile } from '../../lib/text/env-file.ts'
import { splitShellWords } from '../../lib/text/shell-words.ts'
import type { DatabaseTable, VolumeTable } from '../../store/schema.ts'
import { pinOf, resolvedImage, type Target } from '../targets.ts'
import { tcpGateway } from '../../gateways/specs.ts'

const mebibyte = 1024 * 1024
const nano = 1_000_000_000
/**
 * For a server to end, before it is killed. Below the minute after which a swarm starts the next container beside one
 * that has not ended (source: `defaultOldTaskTimeout` of swarmkit's restart supervisor): both would have the files.
 */
const graceSeconds = 50

export type Identity = Pick<DatabaseTable, 'id' | 'kind' | 'appName'>
export type Home = Pick<VolumeTable, 'name' | 'dataPath' | 'nodeId'>

export const gatewayName = (databaseId: string) => `berth-gateway-${databaseId}`

/** What its server is started from. */
export function imageOf(target: Pick<Target, 'dockerImage' | 'image'>, aliases: ImageAliases): string {
  const resolved = resolvedImage(target)
  return resolved === null ? resolveImage(target.dockerImage, aliases) : pinOf(resolved)
}

/** The database's service. `target` was checked when it was stored: its texts parse. */
export function databaseSpec(
  it: Identity,
  target: Target,
  home: Home,
  kind: Kind,
  aliases: Config['imageAliases'],
  replicas: 0 | 1,
): ServiceSpec {
  const words = splitShellWords(target.command ?? '')
  return {
    name: it.appName,
    labels: { 'berth.database': it.id, 'berth.kind': it.kind, [roleLabel]: 'database' },
    image: imageOf(target, aliases),
    env: { ...parseEnvFile(target.env ?? '').values, ...kind.env(target.settings) },
    mounts: [dataMount(it, home), sharedMemory(target)],
    ...(kind.launch?.(target.settings, words, target.memoryLimit) ?? { args: words, files: [] }),
    health: kind.health,
    ports: [],
    user: null,
    capabilities: null,
    nodeId: home.nodeId,
    memoryLimitBytes: scale(target.memoryLimit, mebibyte),
    memoryReservationBytes: scale(target.memoryReservation, mebibyte),
    cpuLimitNano: scale(target.cpuLimit, nano),
    cpuReservationNano: scale(target.cpuReservation, nano),
    stopGraceSeconds: graceSeconds,
    replicas,
    restarts: target.restarts,
  }
}

/** Both services of a database: its own and, where a port is to be open, its gateway's. */
export function specsOf(
  it: Identity,
  target: Target,
  home: Home,
  kind: Kind,
  config: Pick<Config, 'imageAliases' | 'gatewayImage'>,
): { database: ServiceSpec; gateway: ServiceSpec | null } {
  const database = databaseSpec(it, target, home, kind, config.imageAliases, 1)
  const port = target.externalPort
  return { database, gateway: port === null ? null : gatewaySpec(it, port, home, kind, config.gatewayImage) }
}

function dataMount(it: Identity, home: Home): Mount {
  const labels = { 'berth.kind': it.kind, 'berth.app-name': it.appName }
  return { type: 'volume', path: home.dataPath, name: home.name, sizeBytes: 0, labels }
}

/** Docker's 64 MiB break parallel queries. It counts against the memory limit, so it is a quarter of one. */
function sharedMemory({ memoryLimit }: Target): Mount {
  const sizeBytes = memoryLimit === null ? 1024 * mebibyte : Math.round((memoryLimit * mebibyte) / 4)
  return { type: 'tmpfs', path: '/dev/shm', name: '', sizeBytes, labels: {} }
}

function scale(value: number | null, unit: number) {
  return value === null ? null : Math.round(value * unit)
}

/** A small TCP gateway beside the database holds the external port: the database never restarts for it. */
export function gatewaySpec(
  it: Identity,
  externalPort: number,
  home: Home,
  kind: Kind,
  gatewayImage: string,
): ServiceSpec {
  return tcpGateway({
    name: gatewayName(it.id),
    labels: { 'berth.database': it.id, [roleLabel]: 'gateway' },
    image: gatewayImage,
    nodeId: home.nodeId,
    published: externalPort,
    target: it.appName,
    targetPort: kind.port,
    maxTargets: 1,
  })
}
