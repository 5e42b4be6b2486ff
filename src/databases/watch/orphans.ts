/**
 * Reports services on the swarm that have this installation's id but no record, each once. They are not removed,
 * because the store may be outdated: after a restore of older state, Berth must not delete production databases.
 */
import type { FoundService } from '../../engine/engine.ts'
import { remoteCommandRole, isOwnObject, roleLabel } from '../../engine/labels.ts'
import { prepared } from '../../store/prepared.ts'
import type { Runtime } from '../../runtime.ts'

const databaseIds = prepared((db) => db.selectFrom('database').select('id'))

/**
 * Returns a function that reports orphans among `services`. `known` are the ids of some existing records, which saves a
 * query in most turns.
 */
export function orphanReporter({
  db,
  log,
  installationId,
}: Runtime): (services: FoundService[], known: ReadonlySet<string>) => Promise<void> {
  const addExitReport = new Set<string>()
  return async (services, known) => {
    const own = services.filter(
      ({ labels, id }) =>
        isOwnObject(labels, installationId) &&
        !isOther(labels) &&
        !addExitReport.has(id) &&
        !known.has(labels['berth.database'] ?? ''),
    )
    if (own.length === 0) return
    const records = new Set((await databaseIds(db)).map(({ id }) => id))
    for (const { id, name, labels } of own) {
      if (records.has(labels['berth.database'] ?? '')) continue
      addExitReport.add(id)
      log.warn('a service of this installation belongs to no record; it is left alone', { serviceName: name })
    }
  }
}

/**
 * Services of the proxy, ports and the registry have other records. Remote commands have none; the engine removes them.
 */
function isOther(labels: Record<string, string>): boolean {
  return ['proxy', 'port', 'registry', remoteCommandRole].includes(labels[roleLabel] ?? '')
}
