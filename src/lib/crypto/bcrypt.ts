/** Hashes passwords with bcrypt, for basic auth of the proxy and the htpasswd file of a registry. */
import { hash, verify } from '@node-rs/bcrypt'

/** bcrypt ignores all bytes after the first 72, so the hash of a longer password would match other passwords too. */
const maxBytes = 72
/** Source: OWASP Password Storage Cheat Sheet, bcrypt: a work factor of at least 10. */
const recommendedCost = 10

/** Returns why bcrypt cannot hash the password, or null if it can. */
export function bcryptFault(password: string): string | null {
  if (Buffer.byteLength(password) > maxBytes)
    return `must have at most ${maxBytes} bytes, because bcrypt ignores the rest`
  return password.includes('\0') ? 'must not contain NUL' : null
}

/**
 * Hashes in another thread.
 * @param cost the work factor, from 4; tests use a cheaper one
 */
export const bcryptOf = (password: string, cost: number = recommendedCost): Promise<string> => hash(password, cost)

/** Verifies in another thread. */
export const isBcryptOf = (password: string, hashed: string): Promise<boolean> => verify(password, hashed)
