/** The specification of the registry that Berth runs, and the program of its garbage collector. Pure functions. */
import type { Config } from '../config.ts'
import { roleLabel } from '../engine/labels.ts'
import type { ServiceSpec } from '../engine/spec.ts'
import { hostLabel, portLabel, tlsLabel } from '../routing/caddy/hosts.ts'
import { registryName, type RegistryServerTable } from './table.ts'
import type { VolumeTable } from '../store/schema.ts'

/** Where the registry stores pushed images: the mount point of its volume. */
export const registryDataPath = '/var/lib/registry'

const insidePort = 5000
const configPath = '/etc/berth/registry.yml'
const htpasswdPath = '/run/secrets/berth-htpasswd'

/** The settings that the specification depends on. */
export interface RegistryServer extends Pick<RegistryServerTable, 'host' | 'port' | 'collecting' | 'collections'> {
  /** A line of an htpasswd file. */
  htpasswd: string
}

export function registrySpec(
  server: RegistryServer,
  volume: Pick<VolumeTable, 'name' | 'nodeId'>,
  { registryImage }: Pick<Config, 'registryImage'>,
): ServiceSpec {
  return {
    name: registryName,
    labels: { [roleLabel]: 'registry', ...(server.host === null ? {} : servedLabels(server.host)) },
    image: registryImage,
    env: {},
    args: [configPath],
    mounts: [{ type: 'volume', path: registryDataPath, name: volume.name, sizeBytes: 0, labels: {} }],
    files: [
      { path: configPath, content: configuration(server.collecting === 1) },
      { path: htpasswdPath, content: server.htpasswd, isSecret: true },
    ],
    health: ['wget', '-q', '-O', '/dev/null', `http://127.0.0.1:${insidePort}/`],
    ports: server.port === null ? [] : [{ published: server.port, target: insidePort, protocol: 'tcp' }],
    user: null,
    capabilities: [],
    nodeId: volume.nodeId,
    memoryLimitBytes: null,
    memoryReservationBytes: null,
    cpuLimitNano: null,
    cpuReservationNano: null,
    stopGraceSeconds: 30,
    replicas: 1,
    restarts: server.collections,
  }
}

/** With these labels, the proxy serves the registry like an application. */
const servedLabels = (host: string) => ({ [hostLabel]: host, [portLabel]: String(insidePort), [tlsLabel]: 'auto' })

/**
 * The program that deletes layers that no image uses.
 * @param canDeleteUntagged whether images without a tag are deleted too
 */
export const collectProgram = (canDeleteUntagged: boolean) => ({
  argv: ['registry', 'garbage-collect', ...(canDeleteUntagged ? ['--delete-untagged'] : []), configPath],
  env: {},
})

/**
 * The registry's configuration file. URLs in responses are relative, because the registry does not know the host name
 * that the client used. The registry must be read-only during a garbage collection, which would otherwise delete layers
 * of images that are being pushed. Source: the documentation of Distribution (the registry's project) on configuration
 * and garbage collection.
 */
function configuration(isReadOnly: boolean): string {
  return `version: 0.1
log:
  accesslog:
    disabled: true
storage:
  filesystem:
    rootdirectory: ${registryDataPath}
  delete:
    enabled: true
  maintenance:
    readonly:
      enabled: ${isReadOnly}
http:
  addr: :${insidePort}
  relativeurls: true
  headers:
    X-Content-Type-Options: [nosniff]
auth:
  htpasswd:
    realm: berth
    path: ${htpasswdPath}
`
}
