/** Creates, updates or removes one of Berth's own Swarm services if it differs from its specification. Idempotent. */
import { engineReason } from '../deployments/engine-reason.ts'
import type { ServiceReason } from '../deployments/reason.ts'
import { EngineFailure, type NamedService } from '../engine/engine.ts'
import { isTransient } from '../engine/failures.ts'
import { plan } from '../engine/plan.ts'
import type { ServiceSpec } from '../engine/spec.ts'
import type { Runtime } from '../runtime.ts'

/**
 * `changed`: this call or another writer changed the service, or it was busy. Observe the services and call again.
 * `failure`: the failure of the engine, for callers that limit how often they call again.
 */
export type EnsureResult = ({ is: 'changed' } | { is: 'failed'; reason: ServiceReason }) & { failure?: EngineFailure }

/**
 * @param spec the wanted service, or null to remove it
 * @param existing the services to compare with; those with another name are ignored
 * @returns null if nothing had to change
 * @throws EngineUnavailable
 */
export async function ensureService(
  { engine, installationId }: Runtime,
  name: string,
  spec: ServiceSpec | null,
  existing: NamedService[],
): Promise<EnsureResult | null> {
  const changes = plan(
    spec === null ? [] : [spec],
    existing.filter((service) => service.name === name),
    { installationId, databaseId: null },
  )
  try {
    for (const change of changes) {
      if (change.do === 'conflict') return { is: 'failed', reason: { reason: 'ServiceNameTaken', service: name } }
      if (change.do === 'remove') await engine.removeService(change.name)
      else if (change.do === 'create') await engine.createService(change.spec)
      else await engine.updateService(change.spec)
    }
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    return isTransient(error)
      ? { is: 'changed', failure: error }
      : { is: 'failed', reason: engineReason(error), failure: error }
  }
  return changes.length > 0 ? { is: 'changed' } : null
}
