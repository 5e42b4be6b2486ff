/** The specification of the registry that Berth runs. Pure. */
import type { Config } from '../config.ts'
import { roleLabel } from '../engine/labels.ts'
import type { ServiceSpec } from '../engine/spec.ts'
import { hostLabel, portLabel, tlsLabel } from '../routing/caddy/hosts.ts'
import { registryName, type RegistryServerTable } from './table.ts'
import type { VolumeTable } from '../store/schema.ts'

/** Where the image keeps what was pushed: its volume is there. */
export const registryDataPath = '/var/lib/registry'

const insidePort = 5000
const configPath = '/etc/berth/registry.yml'
const htpasswdPath = '/run/secrets/berth-htpasswd'

export interface RegistryServer extends Pick<RegistryServerTable, 'host' | 'port' | 'collecting' | 'collections'> {
  /** A line of an htpasswd file. */
  htpasswd: string
}

export function registrySpec(
  it: RegistryServer,
  home: Pick<VolumeTable, 'name' | 'nodeId'>,
  { registryImage }: Pick<Config, 'registryImage'>,
): ServiceSpec {
  return {
    name: registryName,
    labels: { [roleLabel]: 'registry', ...(it.host === null ? {} : servedLabels(it.host)) },
    image: registryImage,
    env: {},
    args: [configPath],
    mounts: [{ type: 'volume', path: registryDataPath, name: home.name, sizeBytes: 0, labels: {} }],
    files: [
      { path: configPath, content: configuration(it.collecting === 1) },
      { path: htpasswdPath, content: it.htpasswd, isSecret: true },
    ],
    health: ['wget', '-q', '-O', '/dev/null', `http://127.0.0.1:${insidePort}/`],
    ports: it.port === null ? [] : [{ published: it.port, target: insidePort, protocol: 'tcp' }],
    user: null,
    capabilities: [],
    nodeId: home.nodeId,
    memoryLimitBytes: null,
    memoryReservationBytes: null,
    cpuLimitNano: null,
    cpuReservationNano: null,
    stopGraceSeconds: 30,
    replicas: 1,
    restarts: it.collections,
  }
}

/** The proxy serves it as it does applications. */
const servedLabels = (host: string) => ({ [hostLabel]: host, [portLabel]: String(insidePort), [tlsLabel]: 'auto' })

/** Throws away what no image uses; `isUntagged`: images without a tag too. */
export const collectProgram = (isUntagged: boolean) => ({
  argv: ['registry', 'garbage-collect', ...(isUntagged ? ['--delete-untagged'] : []), configPath],
  env: {},
})

/**
 * Addresses in answers have no host: the registry cannot know by which name it was asked. A collection beside pushes
 * would throw away layers of what is being pushed. Source: distribution's docs on configuration and garbage collection.
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
