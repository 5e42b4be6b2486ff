/** Random secrets for people to read out and type in. */
import { randomBytes } from 'node:crypto'

/** Crockford's base 32: no I, L, O and U, which are misread (crockford.com/base32.html). */
const letters = '0123456789abcdefghjkmnpqrstvwxyz'

/** 20 random bits a group, like `3c9q-nzgn`. */
export function base32Secret(groups: number): string {
  // 32 divides 256, so each letter is as likely as the others.
  const text = Array.from(randomBytes(4 * groups), (byte) => letters[byte % 32]!).join('')
  return text.match(/.{4}/g)!.join('-')
}
