/** Finds the Swarm service that a rule refers to, and the reason why a rule has no effect. Pure functions on rows. */
import type { ApplicationReason } from '../deployments/reason.ts'
import type { Config } from '../config.ts'
import { hostMatches } from './caddy/hosts.ts'
import { reservedHostOf } from './public/reserved-host.ts'
import type { ApplicationTable } from './table.ts'

/**
 * Returns the service that a rule refers to, or the reason why no single service matches.
 * @param reference the id of the service, its name, or the value of its label `berth.application`. An id has precedence
 * over a name, and a name over a label
 */
export function applicationOf(
  applications: readonly ApplicationTable[],
  reference: string,
): ApplicationTable | ApplicationReason {
  const match = applications.find(({ id }) => id === reference) ?? applications.find(({ name }) => name === reference)
  if (match !== undefined) return match
  const labelled = applications.filter(({ alias }) => alias === reference)
  if (labelled.length === 1) return labelled[0]!
  if (labelled.length === 0) return { reason: 'ApplicationMissing', given: reference }
  return { reason: 'ApplicationAmbiguous', given: reference, services: labelled.map(({ name }) => name) }
}

/**
 * Returns the id, name and label by which rules can refer to this service. The label may repeat the name, so duplicates
 * are removed.
 */
export function namesOf({ id, name, alias }: ApplicationTable): string[] {
  return [...new Set(alias === null ? [id, name] : [id, name, alias])]
}

/** Whether these two ids, names or labels refer to the same service. */
export function isSameApplication(applications: readonly ApplicationTable[], one: string, other: string): boolean {
  return one === other || applications.map(namesOf).some((names) => names.includes(one) && names.includes(other))
}

/**
 * Returns the host names that the proxy serves for each service, by service id. A service that is not on Berth's
 * network gets none. If several services on the network claim a host name, the oldest of them gets it. The host of Berth
 * itself is reserved.
 * @param applications all services, oldest first
 */
export function hostsOf(
  applications: readonly ApplicationTable[],
  config: Pick<Config, 'publicUrl'>,
): Map<string, string[]> {
  const taken = new Set<string>([reservedHostOf(config)].filter((host) => host !== null))
  return new Map(
    applications.map((application) => {
      const hosts = isServable(application)
        ? (JSON.parse(application.hosts) as string[]).filter((host) => !taken.has(host))
        : []
      for (const host of hosts) taken.add(host)
      return [application.id, hosts]
    }),
  )
}

/**
 * Returns the service to which the proxy forwards requests for a host name, or null. An exact host name has precedence
 * over a wildcard.
 *
 * @param hosts the result of `hostsOf`
 */
export function applicationForHost(
  applications: readonly ApplicationTable[],
  hosts: ReadonlyMap<string, string[]>,
  host: string,
): ApplicationTable | null {
  const serves = (covers: (served: string) => boolean) => applications.find(({ id }) => hosts.get(id)!.some(covers))
  return serves((served) => served === host) ?? serves((served) => hostMatches(served, host)) ?? null
}

/** Whether the proxy can serve this service. Berth's own services count too: the registry may have a host name. */
const isServable = ({ onNetwork }: ApplicationTable) => onNetwork === 1

/** Returns why the service cannot be reached over Berth's network, or null if it can. */
export function unreachableReason({ name, onNetwork }: ApplicationTable, network: string): ApplicationReason | null {
  return onNetwork === 1 ? null : { reason: 'ApplicationOffNetwork', service: name, network }
}

/**
 * Returns why the proxy serves no host name for a service, or null if it serves at least one.
 * @param hosts the service's entry in the result of `hostsOf`
 */
export function unservedReason(
  application: ApplicationTable,
  hosts: readonly string[],
  config: Pick<Config, 'networkName' | 'publicUrl'>,
): string | ApplicationReason | null {
  const faults = JSON.parse(application.faults) as string[]
  const wanted = JSON.parse(application.hosts) as string[]
  if (wanted.length === 0 && faults.length > 0) return faults.join('. ')
  if (wanted.length === 0)
    return `The service ${application.name} has no label berth.host, so the proxy serves no host name for it`
  const why = unreachableReason(application, config.networkName)
  if (why !== null || hosts.length > 0) return why
  if (claimsOnlyReservedHost(application, config)) {
    return { reason: 'HostReserved', service: application.name, host: reservedHostOf(config)! }
  }
  return `Older services already have the host names of this service: ${wanted.join(', ')}`
}

/** Whether the label of the service names no other host than the one that is reserved for Berth. */
export function claimsOnlyReservedHost({ hosts }: ApplicationTable, config: Pick<Config, 'publicUrl'>): boolean {
  const wanted = JSON.parse(hosts) as string[]
  return wanted.length > 0 && wanted.every((host) => host === reservedHostOf(config))
}
