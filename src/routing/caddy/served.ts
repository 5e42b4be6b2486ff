/** Chooses, for each name, which of several certificates Caddy serves. */
import { isWildcard } from './hosts.ts'

/** A certificate with its private key that Caddy may serve. */
export interface ServedPair {
  id: string
  chain: string
  key: string
  names: string[]
  notBefore: Date
  notAfter: Date
}

/** A certificate and the names for which Caddy serves it. */
export interface PairNames {
  pair: ServedPair
  names: string[]
}

/**
 * Chooses one certificate for each name: the newest valid certificate. If a name has no valid certificate, chooses the
 * one with the latest expiry date, so that clients report the expiry. The result lists each name once, and exact names
 * before wildcards. A certificate that is chosen for exact names and for wildcards occurs twice.
 */
export function pairsByName(pairs: ServedPair[], now: Date): PairNames[] {
  const candidatesOf = new Map<string, ServedPair[]>()
  for (const pair of pairs)
    for (const name of pair.names) candidatesOf.set(name, [...(candidatesOf.get(name) ?? []), pair])
  const chosen = new Map([...candidatesOf].map(([name, candidates]) => [name, bestPair(candidates, now)]))
  const pairsFor = (isWanted: (name: string) => boolean) =>
    pairs
      .map((pair) => ({ pair, names: pair.names.filter((it) => isWanted(it) && chosen.get(it) === pair) }))
      .filter(({ names }) => names.length > 0)
  return [...pairsFor((it) => !isWildcard(it)), ...pairsFor(isWildcard)]
}

type Validity = Pick<ServedPair, 'notBefore' | 'notAfter'>

/** Returns the valid certificate with the latest `notBefore`. If none is valid, the one with the latest `notAfter`. */
export function bestPair<T extends Validity>(pairs: readonly T[], now: Date): T {
  const isValid = ({ notBefore, notAfter }: Validity) => notBefore <= now && notAfter > now
  return pairs.toSorted(
    (a, b) =>
      Number(isValid(b)) - Number(isValid(a)) ||
      (isValid(a) ? b.notBefore.getTime() - a.notBefore.getTime() : b.notAfter.getTime() - a.notAfter.getTime()),
  )[0]!
}
