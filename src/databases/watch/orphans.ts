/**
 * Reports orphans: services on the swarm that have this installation's id but no record. Each process of Berth logs an
 * orphan once. Berth does not remove orphans, because the store may be outdated: after a restore of older state, Berth
 * must not delete production databases.
 */
import type { FoundService } from '../../engine/engine.ts'
import { databaseLabel, isOwnObject, roleLabel } from '../../engine/labels.ts'
import { prepared } from '../../store/prepared.ts'
import type { Runtime } from '../../runtime.ts'

const databaseIds = prepared((db) => db.selectFrom('database').select('id'))

/**
 * Returns a function that reports the orphans among `services`. `known` contains the ids of records that the caller has
 * read already. If every service belongs to one of them, the function needs no query.
 */
export function orphanReporter({
  db,
  log,
  installationId,
}: Runtime): (services: FoundService[], known: ReadonlySet<string>) => Promise<void> {
  const reportedIds = new Set<string>()
  return async (services, known) => {
    const own = services.filter(
      ({ labels, id }) =>
        isOwnObject(labels, installationId) &&
        !hasOtherOwner(labels) &&
        !reportedIds.has(id) &&
        !known.has(labels[databaseLabel] ?? ''),
    )
    if (own.length === 0) return
    const recordIds = new Set((await databaseIds(db)).map(({ id }) => id))
    for (const { id, name, labels } of own) {
      if (recordIds.has(labels[databaseLabel] ?? '')) continue
      reportedIds.add(id)
      log.warn('a service of this installation belongs to no record; it is left alone', { serviceName: name })
    }
  }
}

/**
 * Whether the service has another purpose than a database. The services of the proxy, of ports, of the registry
 * and of engine ports belong to other records.
 */
function hasOtherOwner(labels: Record<string, string>): boolean {
  return ['proxy', 'port', 'registry', 'engine'].includes(labels[roleLabel] ?? '')
}
