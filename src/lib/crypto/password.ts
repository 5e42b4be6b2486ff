/**
 * Passwords as argon2id hashes. Few are hashed at once: each takes 19 MiB and a whole core, and logins must not hold
 * up other requests. Does not know whose password it is, nor how often one may try.
 */
import { availableParallelism } from 'node:os'
import { hash, type Options, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'

/**
 * Argon2id, 19 MiB, two passes, one lane. Source: OWASP Password Storage Cheat Sheet, first choice at its minimum
 * (cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html). The salt is 16 random bytes.
 */
const owaspCost = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const satisfies Options

/** Made once with that very cost from 32 random bytes that nobody kept: no password fits it. */
export const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$TErQDT1lLvat55iPI3HvNQ$4TlvFz3nakLnvKs4kgQEtSGU+9do3l5M5DoFSzHrszc'

export interface Passwords {
  hash(password: string): Promise<string>
  /** `stored` undefined, for an account that does not exist, does the same work and gives false. */
  verify(stored: string | undefined, password: string): Promise<boolean>
}

/** `cost` is another where a test is about something else. */
export function passwordsOf(atOnce = placesOn(availableParallelism()), cost: Options = owaspCost): Passwords {
  const limit = pLimit(atOnce)
  return {
    hash: (password) => limit(() => hash(prepare(password), cost)),
    verify: async (stored, password) => {
      const fits = await limit(() => verify(stored ?? nobodysHash, prepare(password)))
      return fits && stored !== undefined
    },
  }
}

/** At most two, and one core is left to whoever answers and to the disk, whose syncs wait for a core as well. */
export function placesOn(cores: number): number {
  return Math.max(1, Math.min(2, cores - 1))
}

/**
 * One text for the ways in which keyboards and systems write the same letter. NFC, which keeps apart what looks
 * apart; nothing is trimmed, cut or forbidden. Source: RFC 8265 section 4.2.2 (OpaqueString), its rule 4.
 */
function prepare(password: string) {
  return password.normalize('NFC')
}
