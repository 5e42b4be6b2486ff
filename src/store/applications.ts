/** Which service of the swarm a rule is about, and why the rule has no effect where it has none. Pure, on rows. */
import type { ApplicationTable } from './routing-schema.ts'

/** The service, or why none can be told, in a sentence. `given`: its id, its name or the value of its label. */
export function applicationOf(applications: readonly ApplicationTable[], given: string): ApplicationTable | string {
  const own = applications.find(({ id }) => id === given) ?? applications.find(({ name }) => name === given)
  if (own !== undefined) return own
  const labelled = applications.filter(({ alias }) => alias === given)
  if (labelled.length === 1) return labelled[0]!
  return labelled.length === 0
    ? `There is no service on the swarm with the id, the name or the label berth.application "${given}" yet`
    : `Several services have the label berth.application "${given}": ${labelled.map(({ name }) => name).join(', ')}`
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
export function unreachable({ name, onNetwork }: ApplicationTable, networkName: string): string | null {
  return onNetwork === 1
    ? null
    : `The service ${name} is not on the network ${networkName}. Attach it: ` +
        `docker service update --network-add ${networkName} ${name}`
}

/** Why the proxy does not serve it; null where it does. `hosts`: of `hostsOf`. */
export function unserved(it: ApplicationTable, hosts: readonly string[], networkName: string): string | null {
  const faults = JSON.parse(it.faults) as string[]
  const wanted = JSON.parse(it.hosts) as string[]
  if (wanted.length === 0 && faults.length > 0) return faults.join('. ')
  if (wanted.length === 0) return `The service ${it.name} has no label berth.host, so the proxy has no name for it`
  const why = unreachable(it, networkName)
  if (why !== null || hosts.length > 0) return why
  return `Older services are served by its names already: ${wanted.join(', ')}`
}
