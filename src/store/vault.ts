/**
 * Seals secrets with AES-256-GCM and a random nonce. A sealed text is bound to its table, column and row. It does not
 * open in another table, column or row. The master key is not in the store.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'

/** The table, column and row of a sealed text. */
export interface Cell {
  table: string
  column: string
  row: string
}

/** Seals and opens texts with one master key. */
export interface Sealer {
  /** The prefix of all texts sealed with this key. Contains the ID of the key. */
  prefix: string
  seal(cell: Cell, text: string): string
  /** @throws if the text was sealed with another key or for another cell, or was modified */
  open(cell: Cell, sealed: string): string
}

export interface Vault extends Pick<Sealer, 'seal' | 'open'> {
  /**
   * Returns a keyed hash. Equal texts of one cell have equal hashes. Nobody can verify a guess of the text without the
   * key. The key does not change with the master key.
   */
  fingerprint(cell: Cell, text: string): string
}

/**
 * Opened texts are cached, because opening a text takes as long as the rest of a read. Only short texts, such as
 * credentials, are cached. The cache reveals no more than the master key, which is also in the memory of the process.
 */
const maxCachedTexts = 1000
const maxCachedLength = 2000

/** @param fingerprintKey a key that does not change with the master key */
export function vaultOf({ seal, open }: Sealer, fingerprintKey: Buffer): Vault {
  return { seal, open, fingerprint }

  function fingerprint(cell: Cell, text: string) {
    return createHmac('sha256', fingerprintKey).update(bindingOf(cell)).update(text).digest('hex')
  }
}

/** Returns the ID of a master key: 8 hexadecimal digits, which reveal nothing about the key. */
export const keyIdOf = (key: Buffer): string =>
  createHash('sha256').update('berth key id').update(key).digest('hex').slice(0, 8)

/**
 * Returns the sealer of a key. A sealed text has the form `v1.<key id>.<nonce, tag and text in base64url>`.
 * @param key 32 bytes
 */
export function sealerOf(key: Buffer): Sealer {
  const prefix = `v1.${keyIdOf(key)}.`
  const cache = new Map<string, string>()
  return { prefix, seal, open }

  function seal(cell: Cell, text: string) {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(bindingOf(cell)))
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return prefix + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
  }

  function open(cell: Cell, sealed: string) {
    const cacheKey = `${bindingOf(cell)} ${sealed}`
    const cached = cache.get(cacheKey)
    if (cached !== undefined) return cached
    const text = decipher(cell, sealed)
    if (cache.size >= maxCachedTexts) cache.clear()
    if (sealed.length <= maxCachedLength) cache.set(cacheKey, text)
    return text
  }

  function decipher(cell: Cell, sealed: string) {
    if (!sealed.startsWith(prefix)) throw new Error(`${cell.table}.${cell.column} is sealed with another master key`)
    const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url')
    const opener = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
    opener.setAAD(Buffer.from(bindingOf(cell))).setAuthTag(bytes.subarray(12, 28))
    return opener.update(bytes.subarray(28), undefined, 'utf8') + opener.final('utf8')
  }
}

function bindingOf(cell: Cell) {
  return JSON.stringify([cell.table, cell.column, cell.row])
}
