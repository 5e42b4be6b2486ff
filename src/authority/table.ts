/** The table of certificate authorities: one row for each generation that Berth trusts or signs with. */
import type { Sealed, Time } from '../store/column-types.ts'

/**
 * The authorities of an installation. `engines`: only for the engine port of nodes. `installation`: for databases and
 * Berth. They are separate, so that a key of a database is no key to an engine (decision 0060).
 */
export const authorityNames = ['engines', 'installation'] as const
export type AuthorityName = (typeof authorityNames)[number]

/**
 * `current`: signs. `next`: will sign, and is trusted already. `retiring`: signed before, and is trusted until nothing
 * uses its certificates. An authority has one `current` generation and at most one of the other two.
 */
export const generationStates = ['current', 'next', 'retiring'] as const
export type GenerationState = (typeof generationStates)[number]

export interface AuthorityTable {
  name: AuthorityName
  /** 1, 2, 3 and so on. */
  generation: number
  state: GenerationState
  certificatePem: string
  /** The private key as PEM (PKCS #8). Null for a retiring generation: it signs nothing any more. */
  key: Sealed | null
  createdAt: Time
  notAfter: Time
}
