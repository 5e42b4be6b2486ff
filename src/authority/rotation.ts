/**
 * The steps of a rotation, derived from the states of the generations. Pure.
 *
 *   no rotation     1 current
 *   distributing    1 current, 2 next       both are trusted, 1 signs
 *   replacing       1 retiring, 2 current   both are trusted, 2 signs
 *   no rotation     2 current
 */
import type { AuthorityName, AuthorityTable } from './table.ts'

export type RotationStep = 'distributing' | 'replacing'

/** What a rotation waits for. `generation` is the newer generation, `signing` the one that signs. */
export type RotationReason =
  /** Not all engines of the nodes trust the newer generation. */
  | { reason: 'EnginesLackTrust'; generation: number; signing: number }
  /** An administrator has to confirm that the clients trust the newer generation. */
  | { reason: 'ClientsLackTrust'; generation: number; signing: number }
  /** Certificates of the older generation are still in use. */
  | { reason: 'OldCertificatesInUse'; generation: number; signing: number }

/** Returns the present step; null if no rotation is under way. */
export function rotationStep(generations: readonly Pick<AuthorityTable, 'state'>[]): RotationStep | null {
  if (generations.some(({ state }) => state === 'next')) return 'distributing'
  return generations.some(({ state }) => state === 'retiring') ? 'replacing' : null
}

/** Returns what the rotation of this authority waits for; null if no rotation is under way. */
export function rotationReason(
  name: AuthorityName,
  generations: readonly Pick<AuthorityTable, 'state' | 'generation'>[],
): RotationReason | null {
  const step = rotationStep(generations)
  if (step === null) return null
  const generation = Math.max(...generations.map((each) => each.generation))
  const signing = generations.find(({ state }) => state === 'current')!.generation
  if (step === 'replacing') return { reason: 'OldCertificatesInUse', generation, signing }
  return { reason: name === 'engines' ? 'EnginesLackTrust' : 'ClientsLackTrust', generation, signing }
}
