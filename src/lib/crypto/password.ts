/**
 * Hashes and verifies passwords with argon2id, and hashes those that other programs verify with bcrypt. Each hash takes a
 * whole core, and with argon2id 19 MiB, so the number of concurrent hashes is limited: logins must not delay other
 * requests.
 */
import { availableParallelism } from 'node:os'
import { hash, type Options, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'
import { bcryptOf } from './bcrypt.ts'

/**
 * Argon2id, 19 MiB, two passes, one lane. Source: OWASP Password Storage Cheat Sheet, minimum for Argon2id
 * (cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html). The salt is 16 random bytes.
 */
const owaspCost = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const satisfies Options

/** A hash with `owaspCost` of 32 random bytes that were not kept: no password matches it. */
export const unmatchableHash =
  '$argon2id$v=19$m=19456,t=2,p=1$TErQDT1lLvat55iPI3HvNQ$4TlvFz3nakLnvKs4kgQEtSGU+9do3l5M5DoFSzHrszc'

export interface Passwords {
  hash(password: string): Promise<string>
  /**
   * Returns whether the password matches the hash `stored`. Pass undefined for an account that does not exist: the same
   * work is done, so that the response time does not reveal this, and the result is false.
   */
  verify(stored: string | undefined, password: string): Promise<boolean>
  /** Hashes with bcrypt, for basic auth of the proxy and the htpasswd file of a registry. */
  bcrypt(password: string): Promise<string>
}

/**
 * @param maxConcurrent how many hashes are computed at the same time
 * @param cost the parameters of argon2; tests use cheaper ones
 * @param bcryptCost the work factor of bcrypt; tests use a cheaper one
 */
export function passwordsOf(
  maxConcurrent = maxConcurrentHashes(availableParallelism()),
  cost: Options = owaspCost,
  bcryptCost?: number,
): Passwords {
  const limit = pLimit(maxConcurrent)
  return {
    hash: (password) => limit(() => hash(prepare(password), cost)),
    verify: async (stored, password) => {
      const matches = await limit(() => verify(stored ?? unmatchableHash, prepare(password)))
      return matches && stored !== undefined
    },
    bcrypt: (password) => limit(() => bcryptOf(password, bcryptCost)),
  }
}

/** Returns one or two. If there are several cores, one stays free for requests and for disk syncs. */
export function maxConcurrentHashes(cores: number): number {
  return Math.max(1, Math.min(2, cores - 1))
}

/**
 * Normalizes the password, because keyboards and systems encode the same letter in different ways. NFC keeps letters
 * apart that look different. Nothing is trimmed, cut or forbidden. Source: RFC 8265, 4.2.2 (OpaqueString), rule 4.
 */
function prepare(password: string) {
  return password.normalize('NFC')
}
