/**
 * Whether a service is still as Berth made it. A label holds the fingerprint of what Berth asked for; someone else's
 * `docker service update` changes the specification and leaves the label. Pure.
 */
import type { ApiServiceSpec } from '../transport/api.ts'
import { hash } from '../../spec.ts'

export const fingerprintLabel = 'berth.fingerprint'

/** False only where both are known and differ: services from before the label count as they are. */
export function isAltered(spec: ApiServiceSpec): boolean {
  const noted = spec.Labels?.[fingerprintLabel]
  return noted !== undefined && noted !== fingerprintOf(spec)
}

/**
 * Of all that decides how containers are and how many; without what the engine adds or writes in its own way (networks
 * by id, images with their digest), and without the counter of forced updates, which change nothing that lasts.
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
    filled({
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

/** Without what says nothing: null, false, 0, empty texts, lists and objects, which the engine adds and leaves out. */
function filled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filled)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).map(([name, it]) => [name, filled(it)] as const)
  return Object.fromEntries(entries.filter(([, it]) => !isEmpty(it)))
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === 0 || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
