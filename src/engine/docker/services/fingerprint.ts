/**
 * Detects that someone else changed a service. A label contains the fingerprint of the specification that Berth set. If
 * another client runs `docker service update`, the specification changes but the label stays. Pure.
 */
import type { ApiServiceSpec } from '../transport/api.ts'
import { hash } from '../../spec.ts'

/** On services: the fingerprint of the specification that Berth set. */
export const fingerprintLabel = 'berth.fingerprint'

/** Whether the specification does not match its label. A service without the label counts as unaltered. */
export function isAltered(spec: ApiServiceSpec): boolean {
  const recorded = spec.Labels?.[fingerprintLabel]
  return recorded !== undefined && recorded !== fingerprintOf(spec)
}

/**
 * A digest of the fields that determine the containers and their number. Excludes values that the engine adds or
 * rewrites (network ids, image digests), and the counter of forced updates, which has no lasting effect.
 */
export function fingerprintOf({ TaskTemplate: task, Mode, EndpointSpec }: ApiServiceSpec): string {
  const {
    Image,
    Command,
    Args,
    Env,
    User,
    Dir,
    Mounts,
    Configs,
    Secrets,
    Healthcheck,
    StopGracePeriod,
    CapabilityAdd,
    CapabilityDrop,
  } = task.ContainerSpec ?? {}
  return hash(
    withoutEmpty({
      Image: Image?.replace(/@sha256:[0-9a-f]{64}$/, ''),
      Command,
      Args,
      Env,
      User,
      Dir,
      StopGracePeriod,
      CapabilityAdd,
      CapabilityDrop,
      Test: Healthcheck?.Test,
      Mounts: Mounts?.map(({ Type, Source, Target, ReadOnly, TmpfsOptions }) => ({
        Type,
        Source,
        Target,
        ReadOnly,
        size: TmpfsOptions?.SizeBytes,
      })),
      Configs: Configs?.map(({ ConfigID, File }) => ({ ConfigID, name: File?.Name })),
      Secrets: Secrets?.map(({ SecretID, File }) => ({ SecretID, name: File?.Name })),
      Resources: task.Resources,
      Constraints: task.Placement?.Constraints,
      networks: task.Networks?.length,
      Replicas: Mode?.Replicated?.Replicas ?? 0,
      mode: EndpointSpec?.Mode,
      Ports: EndpointSpec?.Ports?.map(({ Protocol, PublishMode, PublishedPort, TargetPort }) => ({
        Protocol,
        PublishMode,
        PublishedPort,
        TargetPort,
      })),
    }),
  )
}

/** Drops null, false, 0 and empty texts, lists and objects, because the engine adds or omits such values. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).map(([name, field]) => [name, withoutEmpty(field)] as const)
  return Object.fromEntries(entries.filter(([, field]) => !isEmpty(field)))
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === 0 || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
