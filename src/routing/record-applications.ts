/** Records the services of the swarm in the table `application`. Rows are written only if they changed. */
import type { FoundService } from '../engine/engine.ts'
import { isOwnObject } from '../engine/labels.ts'
import { hostLabel, routingLabels } from './caddy/hosts.ts'
import { readApplications } from './queries.ts'
import type { ApplicationTable } from './table.ts'
import type { Runtime } from '../runtime.ts'

/**
 * Returns a function that records the present services. The function returns true if a service was added or removed, or
 * changed in a column that the proxy or a gateway depends on. No other code writes these rows, so the function reads
 * the rows at the first call and after a failed call. Otherwise it compares in memory.
 */
export function applicationRecorder(runtime: Runtime): (services: readonly FoundService[]) => Promise<boolean> {
  let known: Map<string, ApplicationTable> | null = null
  return async (services) => {
    const before = known ?? new Map((await readApplications(runtime.db)).map((row) => [row.id, row]))
    // If this call fails, it is unknown what it wrote: the next call reads the rows again.
    known = null
    const addresses = await addressesOf(runtime, services)
    const after = new Map(
      services.map((service) => [service.id, rowOf(service, runtime.installationId, addresses(service))]),
    )
    const removed = [...before.keys()].filter((id) => !after.has(id))
    const changed = [...after.values()].filter((row) => !isSame(before.get(row.id), row))
    if (removed.length > 0 || changed.length > 0) await writeRows(runtime, removed, changed)
    known = after
    return removed.length > 0 || changed.some((row) => !isSameForProxy(before.get(row.id), row))
  }
}

function writeRows({ transact }: Runtime, removed: string[], changed: ApplicationTable[]): Promise<void> {
  return transact(async (tx) => {
    for (const id of removed) await tx.deleteFrom('application').where('id', '=', id).execute()
    for (const row of changed) {
      await tx
        .insertInto('application')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute()
    }
  })
}

/**
 * Returns a function from a service to the addresses of its running tasks. Only a proxy that runs as processes on this
 * machine needs addresses. A proxy in a container resolves the names of services, so the function then returns [].
 */
async function addressesOf({ config, engine }: Runtime, services: readonly FoundService[]) {
  const names = services
    .filter(({ labels, onNetwork }) => onNetwork && labels[hostLabel] !== undefined)
    .map(({ name }) => name)
  if (config.proxy !== 'process' || names.length === 0) return () => []
  const [tasks, addresses] = await Promise.all([engine.tasks(names), engine.hostAddresses()])
  const byName = Map.groupBy(
    tasks.filter(({ state }) => state === 'running'),
    ({ serviceName }) => serviceName,
  )
  return ({ name }: FoundService): string[] =>
    (byName.get(name) ?? []).flatMap(({ containerId }) => addresses.get(containerId ?? '') ?? []).sort()
}

function rowOf(service: FoundService, installationId: string, addresses: string[]): ApplicationTable {
  const { id, name, labels, published, onNetwork, replicas, running, createdAt } = service
  const { alias, hosts, port, tls, preflight, faults } = routingLabels(labels)
  const isOwn = isOwnObject(labels, installationId)
  return {
    id,
    name,
    isOwn: isOwn ? 1 : 0,
    alias,
    hosts: JSON.stringify(hosts),
    port,
    tls,
    preflight,
    onNetwork: onNetwork ? 1 : 0,
    published: JSON.stringify(published),
    faults: JSON.stringify(faults),
    replicas,
    running,
    addresses: JSON.stringify(addresses),
    createdAt,
  }
}

/** The columns that the proxy or a gateway depends on: all except `id`, which identifies the row, and `running`. */
const proxyColumns = [
  'name',
  'isOwn',
  'alias',
  'hosts',
  'port',
  'tls',
  'preflight',
  'onNetwork',
  'published',
  'faults',
  'replicas',
  'addresses',
  'createdAt',
] as const

function isSameForProxy(before: ApplicationTable | undefined, after: ApplicationTable): boolean {
  return before !== undefined && proxyColumns.every((column) => before[column] === after[column])
}

function isSame(before: ApplicationTable | undefined, after: ApplicationTable): boolean {
  return before?.running === after.running && isSameForProxy(before, after)
}
