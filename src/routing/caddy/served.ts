/** Which certificate is served for which name: of several the newest that is valid. */
import { isWildcard } from './hosts.ts'

export interface ServedPair {
  id: string
  chain: string
  key: string
  names: string[]
  notBefore: Date
  notAfter: Date
}

export interface PairNames {
  pair: ServedPair
  names: string[]
}

/**
 * Each name once, exact ones before wildcards. Where no pair is valid it is the one that ended last, so that clients
 * are told the true reason.
 */
export function pairsByName(pairs: ServedPair[], now: Date): PairNames[] {
  const named = new Map<string, ServedPair[]>()
  for (const pair of pairs) for (const name of pair.names) named.set(name, [...(named.get(name) ?? []), pair])
  const best = new Map([...named].map(([name, those]) => [name, newest(those, now)]))
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
