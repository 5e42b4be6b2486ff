/** Which service of the swarm a rule is about, and why the rule has no effect where it has none. Pure, on rows. */
import type { ApplicationTable } from './table.ts'

/** Why a service of the swarm cannot be forwarded to. `given`: the id, name or label that the rule has. */
export type ApplicationReason =
  | { reason: 'ApplicationMissing'; given: string }
  | { reason: 'ApplicationAmbiguous'; given: string; services: string[] }
  | { reason: 'ApplicationOffNetwork'; service: string; network: string }

/** The service, or why none can be told. `given`: its id, its name or the value of its label. */
export function applicationOf(
  applications: readonly ApplicationTable[],
  given: string,
): ApplicationTable | ApplicationReason {
  const own = applications.find(({ id }) => id === given) ?? applications.find(({ name }) => name === given)
  if (own !== undefined) return own
  const labelled = applications.filter(({ alias }) => alias === given)
  if (labelled.length === 1) return labelled[0]!
  if (labelled.length === 0) return { reason: 'ApplicationMissing', given }
  return { reason: 'ApplicationAmbiguous', given, services: labelled.map(({ name }) => name) }
}

/** All names by which rules may be about this service, each once: the label may repeat the name. */
export function namesOf({ id, name, alias }: ApplicationTable): string[] {
  return [...new Set(alias === null ? [id, name] : [id, name, alias])]
}

/** Whether rules that were made under these two names meet at one service. */
export function isSameApplication(applications: readonly ApplicationTable[], one: string, other: string): boolean {
  return one === other || applications.map(namesOf).some((names) => names.includes(one) && names.includes(other))
}

/** The names that the proxy serves it by: those that no older service has. Oldest first. */
export function hostsOf(applications: readonly ApplicationTable[]): Map<string, string[]> {
  const taken = new Set<string>()
  return new Map(
    applications.map((it) => {
      const hosts = isServable(it) ? (JSON.parse(it.hosts) as string[]).filter((host) => !taken.has(host)) : []
      for (const host of hosts) taken.add(host)
      return [it.id, hosts]
    }),
  )
}

/** Of Berth's own only its registry has names. */
const isServable = ({ onNetwork }: ApplicationTable) => onNetwork === 1

/** Why the network does not reach it; null where it does. */
export function unreachable({ name, onNetwork }: ApplicationTable, network: string): ApplicationReason | null {
  return onNetwork === 1 ? null : { reason: 'ApplicationOffNetwork', service: name, network }
}

/** Why the proxy does not serve it; null where it does. `hosts`: of `hostsOf`. */
export function unserved(
  it: ApplicationTable,
  hosts: readonly string[],
  networkName: string,
): string | ApplicationReason | null {
  const faults = JSON.parse(it.faults) as string[]
  const wanted = JSON.parse(it.hosts) as string[]
  if (wanted.length === 0 && faults.length > 0) return faults.join('. ')
  if (wanted.length === 0) return `The service ${it.name} has no label berth.host, so the proxy has no name for it`
  const why = unreachable(it, networkName)
  if (why !== null || hosts.length > 0) return why
  return `Older services are served by its names already: ${wanted.join(', ')}`
}
