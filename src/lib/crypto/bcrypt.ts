/** Passwords as bcrypt hashes, for servers that take no other: the proxy's basic auth, a registry's htpasswd file. */
import { hash, verify } from '@node-rs/bcrypt'

/** What bcrypt looks at: whatever comes after it would be good with any ending. */
const maxBytes = 72
/** Source: OWASP Password Storage Cheat Sheet, bcrypt: 10 at least. */
const cost = 10

/** Why it cannot be a password there; null where it can. */
export function bcryptFault(password: string): string | null {
  if (Buffer.byteLength(password) > maxBytes) return `must have at most ${maxBytes} bytes: bcrypt reads no more`
  return password.includes('\0') ? 'must not contain NUL' : null
}

/** In another thread. */
export const bcryptOf = (password: string): Promise<string> => hash(password, cost)

/** As `bcryptOf`: in another thread. */
export const isBcryptOf = (password: string, hashed: string): Promise<boolean> => verify(password, hashed)
