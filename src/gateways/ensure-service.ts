/** One service of Berth's own is made, changed or taken away, as it is wanted. Idempotent. */
import { engineReason } from '../deployments/engine-reason.ts'
import type { ServiceReason } from '../deployments/reason.ts'
import { EngineFailure, type NamedService } from '../engine/engine.ts'
import { isTransient } from '../engine/failures.ts'
import { plan } from '../engine/plan.ts'
import type { ServiceSpec } from '../engine/spec.ts'
import type { Runtime } from '../runtime.ts'

/** `more`: something was done, or another writer was first; the next look tells how it is. */
export type EnsureResult = { is: 'more' } | { is: 'failed'; reason: ServiceReason }

/** `found`: what the swarm has of this name; `spec` null: it is to be gone. Null where all is as wanted. */
export async function make(
  { engine, installationId }: Runtime,
  name: string,
  spec: ServiceSpec | null,
  found: NamedService[],
): Promise<EnsureResult | null> {
  const changes = plan(
    spec === null ? [] : [spec],
    found.filter((it) => it.name === name),
    installationId,
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
    return isTransient(error) ? { is: 'more' } : { is: 'failed', reason: engineReason(error) }
  }
  return changes.length > 0 ? { is: 'more' } : null
}
