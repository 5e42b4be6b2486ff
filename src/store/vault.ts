/**
 * Seals secrets: AES-256-GCM with a random nonce, bound to the table, column and row that the text lies in,
 * so that a sealed text moved elsewhere does not open. The master key lies outside the store.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'

/** Where a sealed text lies. */
export interface Place { table: string; column: string; row: string }

export interface Vault {
  seal(place: Place, text: string): string
  /** Throws when the key is another one or the text was changed or moved. */
  open(place: Place, sealed: string): string
  /** Equal for equal texts of one place, and of no use without the key to whoever guesses at the text. */
  fingerprint(place: Place, text: string): string
}

/** `key` is 32 bytes. The sealed form is `v1.<key id>.<nonce, tag and text in base64url>`. */
export function vaultOf(key: Buffer): Vault {
  const keyId = createHash('sha256').update('berth key id').update(key).digest('hex').slice(0, 8)
  const prefix = `v1.${keyId}.`
  return { seal, open, fingerprint }

  function seal(place: Place, text: string) {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bindingOf(place))
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return prefix + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
  }

  function open(place: Place, sealed: string) {
    if (!sealed.startsWith(prefix)) throw new Error(`${place.table}.${place.column} is sealed with another master key`)
    const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url')
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
    decipher.setAAD(bindingOf(place)).setAuthTag(bytes.subarray(12, 28))
    return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')
  }

  function fingerprint(place: Place, text: string) {
    return createHmac('sha256', key).update('berth fingerprint').update(bindingOf(place)).update(text).digest('hex')
  }
}

function bindingOf(place: Place) {
  return Buffer.from(JSON.stringify([place.table, place.column, place.row]))
}
