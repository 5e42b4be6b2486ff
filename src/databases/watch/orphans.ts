/**
 * Services on the swarm that carry this installation's id and belong to no record: reported, each once, and left alone,
 * for the store may be the one that is wrong (an older state restored must not delete production).
 */
import type { FoundService } from '../../engine/engine.ts'
import { remoteCommandRole, isOurs, roleLabel } from '../../engine/labels.ts'
import { prepared } from '../../store/prepared.ts'
import type { Runtime } from '../../runtime.ts'

const databaseIds = prepared((db) => db.selectFrom('database').select('id'))

/** What it gives takes the services that there are, and the ids of some records that there are. */
export function orphanReporter({
  db,
  log,
  installationId,
}: Runtime): (services: FoundService[], known: ReadonlySet<string>) => Promise<void> {
  const reported = new Set<string>()
  return async (services, known) => {
    const own = services.filter(
      ({ labels, id }) =>
        isOurs(labels, installationId) &&
        !isOther(labels) &&
        !reported.has(id) &&
        !known.has(labels['berth.database'] ?? ''),
    )
    if (own.length === 0) return
    const records = new Set((await databaseIds(db)).map(({ id }) => id))
    for (const { id, name, labels } of own) {
      if (records.has(labels['berth.database'] ?? '')) continue
      reported.add(id)
      log.warn('a service of this installation belongs to no record; it is left alone', { serviceName: name })
    }
  }
}

/** The proxy, gateways of ports and the registry have other records; an errand has none, and the engine sees to it. */
function isOther(labels: Record<string, string>): boolean {
  return ['proxy', 'port', 'registry', remoteCommandRole].includes(labels[roleLabel] ?? '')
}
