/**
 * Services on the swarm that carry this installation's id and belong to no record: reported, each once, and left alone,
 * for the store may be the one that is wrong (an older state restored must not delete production).
 */
import type { FoundService } from '../engine/engine.ts'
import { isOurs, roleLabel } from '../engine/labels.ts'
import type { World } from './world.ts'

export function orphanReporter({ db, log, installationId }: World): (services: FoundService[]) => Promise<void> {
  const reported = new Set<string>()
  return async (services) => {
    const own = services
      .filter(({ labels, id }) => isOurs(labels, installationId) && !hasOther(labels) && !reported.has(id))
    if (own.length === 0) return
    const records = new Set((await db.selectFrom('database').select('id').execute()).map(({ id }) => id))
    for (const { id, name, labels } of own) {
      if (records.has(labels['berth.database'] ?? '')) continue
      reported.add(id)
      log.warn('a service of this installation belongs to no record; it is left alone', { serviceName: name })
    }
  }
}

/** The proxy, gateways of ports and the registry have records of other kinds, and loops that see to them. */
function hasOther(labels: Record<string, string>): boolean {
  return ['proxy', 'port', 'registry'].includes(labels[roleLabel] ?? '')
}
