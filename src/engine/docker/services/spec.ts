/**
 * Translates a ServiceSpec to Docker's API. Pure. Uses neither virtual IPs nor the ingress mesh, because not every
 * kernel supports them.
 */
import { fingerprintLabel, fingerprintOf } from './fingerprint.ts'
import { digestLabel, installationLabel } from '../../labels.ts'
import { containerDigestOf, digestOf } from '../../spec.ts'
import type { Mount, ServiceSpec } from '../../spec.ts'

/** A file that the swarm stores as a config or a secret. */
export interface FileReference {
  path: string
  id: string
  name: string
  isSecret: boolean
}

/** The values that a request body needs and the specification does not contain. */
export interface ServiceContext {
  installationId: string
  networkName: string
  /** One reference for each of `spec.files`. */
  files: FileReference[]
}

const seconds = 1_000_000_000
const milliseconds = 1_000_000

/** The network of a service or job. The isolated one has no way out. */
export const networkOf = ({ isIsolated }: { isIsolated?: boolean }, networkName: string) =>
  isIsolated === true ? `${networkName}-isolated` : networkName

/** The request body of POST /services/create and /services/{id}/update. */
export function serviceBody(spec: ServiceSpec, context: ServiceContext) {
  const body = bodyWithoutLabels(spec, context)
  const labels = {
    ...spec.labels,
    [installationLabel]: context.installationId,
    [digestLabel]: digestOf(spec),
    [fingerprintLabel]: fingerprintOf(body),
  }
  return { ...body, Labels: labels }
}

function bodyWithoutLabels(spec: ServiceSpec, context: ServiceContext) {
  const oneAtATime = { Parallelism: 1, Order: 'stop-first', FailureAction: 'pause' }
  return {
    Name: spec.name,
    TaskTemplate: {
      ContainerSpec: containerBody(spec, context),
      LogDriver: { Name: 'json-file', Options: { 'max-size': '10m', 'max-file': '3' } },
      RestartPolicy: { Condition: 'any', Delay: 1 * seconds },
      Placement: { Constraints: [`node.id==${spec.nodeId}`] },
      Resources: resourcesOf(spec),
      Networks: [{ Target: networkOf(spec, context.networkName) }],
      ForceUpdate: spec.restarts,
    },
    Mode: { Replicated: { Replicas: spec.replicas } },
    UpdateConfig: oneAtATime,
    RollbackConfig: oneAtATime,
    EndpointSpec: { Mode: 'dnsrr', Ports: portsOf(spec) },
  }
}

function containerBody(spec: ServiceSpec, context: ServiceContext) {
  const labels = { [installationLabel]: context.installationId, [digestLabel]: containerDigestOf(spec) }
  return {
    Image: spec.image,
    ...(spec.hostname === undefined ? {} : { Hostname: spec.hostname }),
    ...(spec.command === undefined ? {} : { Command: spec.command }),
    ...(spec.args.length > 0 ? { Args: spec.args } : {}),
    Env: envList(spec.env).map(escapeTemplate),
    ...(spec.user === null ? {} : { User: spec.user }),
    ...(spec.capabilities === null ? {} : { CapabilityDrop: ['ALL'], CapabilityAdd: capabilitiesOf(spec) }),
    Labels: labels,
    Mounts: spec.mounts.map((mount) => mountBody(mount, context.installationId)),
    Healthcheck: healthBody(spec.health),
    Configs: context.files
      .filter(({ isSecret }) => !isSecret)
      .map(({ path, id, name }) => ({ ConfigID: id, ConfigName: name, File: fileBody(path) })),
    Secrets: context.files
      .filter(({ isSecret }) => isSecret)
      .map(({ path, id, name }) => ({ SecretID: id, SecretName: name, File: fileBody(path) })),
    StopGracePeriod: spec.stopGraceSeconds * seconds,
  }
}

/** Every user can read the file, because the user of the image's program is unknown. */
const fileBody = (path: string) => ({ Name: path, UID: '0', GID: '0', Mode: 0o444 })

/** The variables as `NAME=value`. Sorted, so that equal environments result in equal lists. */
export function envList(env: Record<string, string>): string[] {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
}

/**
 * Escapes a text for Swarm, which treats environment variables and mounts as Go templates: `{{.Node.ID}}` in a password
 * would be replaced, and `{{` alone rejected.
 */
export function escapeTemplate(text: string): string {
  return text.replaceAll('{{', '{{"{{"}}')
}

/** The text before `escapeTemplate`. */
export function unescapeTemplate(text: string): string {
  return text.replaceAll('{{"{{"}}', '{{')
}

function mountBody(mount: Mount, installationId: string) {
  if (mount.type === 'tmpfs') {
    const size = mount.sizeBytes > 0 ? { TmpfsOptions: { SizeBytes: mount.sizeBytes } } : {}
    return { Type: 'tmpfs', Target: escapeTemplate(mount.path), ...size }
  }
  if (mount.type === 'bind')
    return { Type: 'bind', Source: escapeTemplate(mount.name), Target: escapeTemplate(mount.path) }
  const callerLabels = Object.entries(mount.labels).map(([name, value]) => [name, escapeTemplate(value)])
  const labels = { ...Object.fromEntries(callerLabels), [installationLabel]: installationId }
  return {
    Type: 'volume',
    Source: mount.name,
    Target: escapeTemplate(mount.path),
    ...(mount.isReadOnly === true ? { ReadOnly: true } : {}),
    VolumeOptions: { Labels: labels },
  }
}

/** A hundred years. Docker counts in nanoseconds with 64 bits: less than 292 years. */
const endlessSeconds = 100 * 365 * 24 * 3600

/**
 * The swarm considers a task running after the first successful check. Failed checks before it do not end the task,
 * because a server can initialize or recover its data for hours: Docker counts no failure in the start period, which
 * ends with the first success.
 */
function healthBody(argv: string[] | null) {
  if (!argv) return { Test: ['NONE'] }
  return {
    Test: ['CMD', ...argv],
    Interval: 250 * milliseconds,
    Timeout: 30 * seconds,
    Retries: 3,
    StartPeriod: endlessSeconds * seconds,
    // The default of engines from version 25 on is one check every 5 s during the start period.
    StartInterval: 250 * milliseconds,
  }
}

function resourcesOf(spec: ServiceSpec) {
  return {
    Limits: {
      ...fieldUnlessNull('MemoryBytes', spec.memoryLimitBytes),
      ...fieldUnlessNull('NanoCPUs', spec.cpuLimitNano),
    },
    Reservations: {
      ...fieldUnlessNull('MemoryBytes', spec.memoryReservationBytes),
      ...fieldUnlessNull('NanoCPUs', spec.cpuReservationNano),
    },
  }
}

function fieldUnlessNull(name: string, value: number | null): Record<string, number> {
  return value === null ? {} : { [name]: value }
}

function portsOf({ ports }: ServiceSpec) {
  return ports.map(({ protocol, published, target }) => ({
    Protocol: protocol,
    PublishMode: 'host',
    PublishedPort: published,
    TargetPort: target,
  }))
}

function capabilitiesOf({ capabilities }: ServiceSpec) {
  return (capabilities ?? []).map((name) => `CAP_${name}`)
}
