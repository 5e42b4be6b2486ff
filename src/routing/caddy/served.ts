/** Chooses the certificate for each name: the newest valid one. */
import { isWildcard } from './hosts.ts'

/** A certificate that can be served. */
export interface ServedPair {
  id: string
  chain: string
  key: string
  names: string[]
  notBefore: Date
  notAfter: Date
}

/** A certificate and the names that it is served for. */
export interface PairNames {
  pair: ServedPair
  names: string[]
}

/**
 * Returns the certificate of each name, exact names before wildcards. Each name occurs once. If no certificate of a
 * name is valid, the one that expired last is served, so that clients report the expiry.
 */
export function pairsByName(pairs: ServedPair[], now: Date): PairNames[] {
  const named = new Map<string, ServedPair[]>()
  for (const pair of pairs) for (const name of pair.names) named.set(name, [...(named.get(name) ?? []), pair])
  const best = new Map([...named].map(([name, candidates]) => [name, newest(candidates, now)]))
  const of = (isWanted: (name: string) => boolean) =>
    pairs
      .map((pair) => ({ pair, names: pair.names.filter((it) => isWanted(it) && best.get(it) === pair) }))
      .filter(({ names }) => names.length > 0)
  return [...of((it) => !isWildcard(it)), ...of(isWildcard)]
}

function newest(pairs: ServedPair[], now: Date): ServedPair {
  const isValid = (it: ServedPair) => it.notBefore <= now && it.notAfter > now
  return pairs.toSorted(
    (a, b) =>
      Number(isValid(b)) - Number(isValid(a)) ||
      (isValid(a) ? b.notBefore.getTime() - a.notBefore.getTime() : b.notAfter.getTime() - a.notAfter.getTime()),
  )[0]!
}
