/**
 * Seals secrets: AES-256-GCM with a random nonce, bound to the table, column and row that the text lies in,
 * so that a sealed text moved elsewhere does not open. The master key lies outside the store.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'

/** Where a sealed text lies. */
export interface Place {
  table: string
  column: string
  row: string
}

/** What a master key can do. */
export interface Sealer {
  /** What all that it seals begins with: it names the key. */
  prefix: string
  seal(place: Place, text: string): string
  /** Throws when the key is another one or the text was changed or moved. */
  open(place: Place, sealed: string): string
}

export interface Vault extends Pick<Sealer, 'seal' | 'open'> {
  /**
   * Equal for equal texts of one place, and of no use without its key to whoever guesses at the text. That key stays
   * when the master key changes.
   */
  fingerprint(place: Place, text: string): string
}

/**
 * Texts that were opened are kept, for opening one costs as much as all else in a read: the short ones (credentials),
 * up to so many. Whoever reads this process's memory finds the master key there too.
 */
const maxKeptTexts = 1000
const maxKeptLength = 2000

export function vaultOf({ seal, open }: Sealer, fingerprintKey: Buffer): Vault {
  return { seal, open, fingerprint }

  function fingerprint(place: Place, text: string) {
    return createHmac('sha256', fingerprintKey).update(bindingOf(place)).update(text).digest('hex')
  }
}

/** Names a master key, and says nothing else of it. */
export const keyIdOf = (key: Buffer): string =>
  createHash('sha256').update('berth key id').update(key).digest('hex').slice(0, 8)

/** `key` is 32 bytes. The sealed form is `v1.<key id>.<nonce, tag and text in base64url>`. */
export function sealerOf(key: Buffer): Sealer {
  const prefix = `v1.${keyIdOf(key)}.`
  const opened = new Map<string, string>()
  return { prefix, seal, open }

  function seal(place: Place, text: string) {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(bindingOf(place)))
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return prefix + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
  }

  function open(place: Place, sealed: string) {
    const bound = `${bindingOf(place)} ${sealed}`
    const known = opened.get(bound)
    if (known !== undefined) return known
    const text = decipher(place, sealed)
    if (opened.size >= maxKeptTexts) opened.clear()
    if (sealed.length <= maxKeptLength) opened.set(bound, text)
    return text
  }

  function decipher(place: Place, sealed: string) {
    if (!sealed.startsWith(prefix)) throw new Error(`${place.table}.${place.column} is sealed with another master key`)
    const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url')
    const opener = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
    opener.setAAD(Buffer.from(bindingOf(place))).setAuthTag(bytes.subarray(12, 28))
    return opener.update(bytes.subarray(28), undefined, 'utf8') + opener.final('utf8')
  }
}

function bindingOf(place: Place) {
  return JSON.stringify([place.table, place.column, place.row])
}
