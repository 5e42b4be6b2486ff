/** Generates random secrets that people can read aloud and type. */
import { randomBytes } from 'node:crypto'

/** Crockford's base 32 (crockford.com/base32.html): without I, L, O and U, which people misread. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz'

/** @param groups the number of groups of four characters, with 20 random bits each: two groups look like `3c9q-nzgn` */
export function base32Secret(groups: number): string {
  // 32 divides 256, so all letters are equally likely.
  const text = Array.from(randomBytes(4 * groups), (byte) => letters[byte % 32]!).join('')
  return text.match(/.{4}/g)!.join('-')
}
