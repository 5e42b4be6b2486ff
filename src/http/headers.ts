/** Parses and writes the headers that Berth uses. */
import type { IncomingMessage } from 'node:http'
import { refuseField } from '../errors.ts'

/** The maximum of `Prefer: wait`. Part of the API, see docs/api.md. */
export const maxWaitSeconds = 600

/**
 * The seconds of `Prefer: wait=N`, at most `maxWaitSeconds`; 0 if there is none. Names are case-insensitive, and values
 * may be quoted. The first of several `wait` preferences counts. A malformed preference counts as 0. Source: RFC 7240
 * section 2.
 */
export function waitOf(prefer: string | undefined): number {
  if (prefer === undefined || prefer.length > 1000) return 0
  for (const [preference] of prefer.matchAll(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g)) {
    if (!/^\s*wait\s*(?:[=;]|$)/i.test(preference)) continue
    const match = /^\s*\w+\s*=\s*(?:(\d+)|"(\d+)")\s*(?:;|$)/.exec(preference)
    return Math.min(Number(match?.[1] ?? match?.[2] ?? 0), maxWaitSeconds)
  }
  return 0
}

/** The idempotency key; null if there is none. Refuses a key that is too long, not printable or sent more than once. */
export function idempotencyKeyOf(message: IncomingMessage): string | null {
  const key = message.headers['idempotency-key']
  if (key === undefined) return null
  const times = message.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'idempotency-key').length
  if (times !== 1) refuseField('Idempotency-Key', 'must be sent only once')
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    refuseField('Idempotency-Key', 'must be 1 to 255 printable ASCII characters')
  }
  return key
}

/**
 * The tags of `If-Match`, without quotes; '*' for any record; null without the header. Refuses weak tags, because two
 * records with the same weak tag may differ, and malformed headers. Source: RFC 9110 sections 8.8.3 and 13.1.1.
 */
export function entityTagsOf(ifMatch: string | undefined): string[] | '*' | null {
  if (ifMatch === undefined) return null
  if (ifMatch.trim() === '*') return '*'
  const elements = ifMatch.split(',').map((element) => element.trim())
  if (elements.some((element) => /^W\//.test(element))) refuseField('If-Match', 'must have no weak tags (W/)')
  if (!elements.every((element) => /^"[\x21\x23-\x2b\x2d-\x7e]{1,255}"$/.test(element))) {
    refuseField('If-Match', 'must be *, or tags in double quotes as in the header ETag, separated by commas')
  }
  return elements.map((element) => element.slice(1, -1))
}

/** The value of the header `ETag`. */
export const entityTagText = (entityTag: string): string => `"${entityTag}"`

const maxNames = 20
const maxCharacters = 1000

/** A list of names for a header: percent-encoded, at most 20 names and 1,000 characters; '...' replaces the rest. */
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
