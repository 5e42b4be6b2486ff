/** Headers that mean something to Berth: how they are read and how they are written. Knows no operation. */
import type { IncomingMessage } from 'node:http'
import { refuseField } from '../errors.ts'

/** Source: SPEC section 1. */
export const maxWaitSeconds = 600

/**
 * Seconds that `Prefer: wait=N` asks for; 0 where it asks for none. RFC 7240 section 2: names in any case, values
 * quoted or not, the first of equal preferences counts, what is malformed is ignored.
 */
export function waitOf(prefer: string | undefined): number {
  if (prefer === undefined || prefer.length > 1000) return 0
  for (const [preference] of prefer.matchAll(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g)) {
    if (!/^\s*wait\s*(?:[=;]|$)/i.test(preference)) continue
    const found = /^\s*\w+\s*=\s*(?:(\d+)|"(\d+)")\s*(?:;|$)/.exec(preference)
    return Math.min(Number(found?.[1] ?? found?.[2] ?? 0), maxWaitSeconds)
  }
  return 0
}

/** Refuses a key that is too long, not printable or given twice. */
export function idempotencyKeyOf(message: IncomingMessage): string | null {
  const key = message.headers['idempotency-key']
  if (key === undefined) return null
  const times = message.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'idempotency-key').length
  if (times !== 1) refuseField('Idempotency-Key', 'is given more than once')
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    refuseField('Idempotency-Key', 'must be 1 to 255 printable characters of ASCII')
  }
  return key
}

const maxNames = 20
const maxCharacters = 1000

/** Names as a list that is safe in a header: percent-encoded, bounded; '...' stands for those left out. */
export function listOf(names: readonly string[]): string {
  const list: string[] = []
  let length = 0
  for (const name of names) {
    const text = name === '' ? '""' : encodeURIComponent(name.slice(0, maxCharacters).toWellFormed())
    length += text.length + 2
    if (list.length === maxNames || length > maxCharacters) return [...list, '...'].join(', ')
    list.push(text)
  }
  return list.join(', ')
}
