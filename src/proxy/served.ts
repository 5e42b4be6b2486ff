/** Which certificate is served for which name: of several the newest that is valid. Caddy itself would take any. */
import { hostMatches, isWildcard } from './hosts.ts'

export interface ServedPair {
  id: string
  chain: string
  key: string
  names: string[]
  notBefore: Date
  notAfter: Date
}

export interface Served {
  /** What the proxy has to hold: a certificate that was left out for one name may be needed for another. */
  pairs: ServedPair[]
  /** Exact names before wildcards; empty where each name has one certificate only. */
  policies: { names: string[]; id: string }[]
}

/** None valid: the one that ended last is served, so that clients are told the true reason. */
export function certificatesToServe(pairs: ServedPair[], now: Date): Served {
  const names = [...new Set(pairs.flatMap((it) => it.names))].sort()
  const byName = new Map(names.map((name) => [name, bestFor(name, pairs, now)]))
  const served = pairs.filter((it) => [...byName.values()].includes(it))
  const isAmbiguous = names.some((name) => served.filter((it) => it.names.includes(name)).length > 1)
  return { pairs: served, policies: isAmbiguous ? policiesOf(served, byName) : [] }
}

function bestFor(name: string, pairs: ServedPair[], now: Date): ServedPair {
  const isValid = (it: ServedPair) => it.notBefore <= now && it.notAfter > now
  const [best] = pairs.filter((it) => it.names.includes(name)).sort((a, b) =>
    Number(isValid(b)) - Number(isValid(a))
      || (isValid(a) ? b.notBefore.getTime() - a.notBefore.getTime() : b.notAfter.getTime() - a.notAfter.getTime()))
  return best!
}

function policiesOf(served: ServedPair[], byName: Map<string, ServedPair>): Served['policies'] {
  const of = (wanted: (name: string) => boolean) => served
    .map((pair) => ({ id: pair.id, names: pair.names.filter((it) => wanted(it) && byName.get(it) === pair) }))
    .filter(({ names }) => names.length > 0)
  return [...of((it) => !isWildcard(it)), ...of(isWildcard)]
}

/** Which of the certificates a client gets that asks for this name; null where none has it. */
export function servedFor(name: string, { pairs, policies }: Served): string | null {
  const exact = (names: string[]) => names.includes(name)
  const wild = (names: string[]) => names.some((it) => isWildcard(it) && hostMatches(it, name))
  for (const fits of [exact, wild]) {
    const found = policies.find((it) => fits(it.names)) ?? pairs.find((it) => fits(it.names))
    if (found !== undefined) return found.id
  }
  return null
}
