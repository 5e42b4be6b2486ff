/** Decides who else uses a volume, before a container starts on it and before it is removed. Pure. */
import type { VolumeUseReason } from '../deployments/reason.ts'
import type { VolumeUse } from '../engine/engine.ts'
import { type Owner, ownershipOf } from '../engine/plan.ts'

/** The service whose container is about to start on the volume. */
export interface StartingService {
  name: string
  owner: Owner
}

export interface VolumeUsers {
  /** The names of services that mount the volume. A service also counts while it has no tasks. */
  services: string[]
  /** The names of containers that no service created. */
  containers: string[]
  /** The names of containers whose service is removed or scaled to zero: they are about to end. */
  ending: string[]
}

/**
 * Returns who uses the volume, except the starting service. Another service of the same owner does not count while it
 * is scaled to zero, because only Berth starts it again.
 *
 * @param starting null: no service starts, because the volume should be removed
 */
export function volumeUsers(
  { services, containers }: Pick<VolumeUse, 'services' | 'containers'>,
  starting: StartingService | null,
): VolumeUsers {
  const byId = new Map(services.map((service) => [service.id, service]))
  const isClaimed = ({ name, labels, replicas }: VolumeUse['services'][number]) =>
    starting === null ||
    (name !== starting.name && !(replicas === 0 && ownershipOf({ labels }, starting.owner) === 'own'))
  const isEnding = (serviceId: string) => {
    const service = byId.get(serviceId)
    return service === undefined || (service.replicas === 0 && !isClaimed(service))
  }
  return {
    services: services.filter(isClaimed).map(({ name }) => name),
    containers: containers.filter(({ service }) => service === null).map(({ name }) => name),
    ending: containers.filter(({ service }) => service !== null && isEnding(service.id)).map(({ name }) => name),
  }
}

/**
 * The reason why the volume cannot be used; null if only containers that are about to end use it, or nobody does.
 *
 * @param service the service that should start; null if the volume should be removed
 */
export function volumeUseReason(
  volume: string,
  service: string | null,
  { services, containers }: Omit<VolumeUsers, 'ending'>,
): VolumeUseReason | null {
  if (services.length + containers.length === 0) return null
  return { reason: 'VolumeInUse', volume, service, services, containers }
}
