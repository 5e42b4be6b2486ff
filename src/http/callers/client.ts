/**
 * The client of a request: its address and whether it came over TLS. A proxy in front of Berth reports both in headers,
 * which anybody can send, so they count only from trusted proxies. Pure.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

export interface Client {
  /** The IP address; '' if the connection was closed before Berth read it. */
  address: string
  /** Whether the client is known to have used TLS. */
  isEncrypted: boolean
}

/** The connection that a request came on. */
export interface Connection {
  /** The address of the other side. Null for Berth's own proxy, which connects to a unix socket that only it can open. */
  peer: string | null
  isEncrypted: boolean
}

/**
 * Returns the client of a request. Each proxy appends the address that connected to it to X-Forwarded-For or Forwarded,
 * and an attacker can send the first entries. So the client is the last entry that is not itself a trusted proxy.
 *
 * @param isTrusted whether an address is that of a trusted proxy (BERTH_TRUSTED_PROXIES)
 */
export function clientOf(
  { peer, isEncrypted }: Connection,
  headers: IncomingHttpHeaders,
  isTrusted: (address: string) => boolean,
): Client {
  // Berth's own proxy redirects HTTP to HTTPS. It sets X-Forwarded-For only, and passes on a client's Forwarded.
  if (peer === null) return { address: lastUntrusted(forwardedFor(headers), '', isTrusted), isEncrypted: true }
  if (!isTrusted(peer)) return { address: peer, isEncrypted }
  const lists = [forwardedFor(headers), forwarded(headers)].filter((entries) => entries.length > 0)
  const addresses = new Set(lists.map((entries) => lastUntrusted(entries, peer, isTrusted)))
  // A proxy sets one header and passes on the other, so if both differ, the client may have sent either.
  const [address = peer] = addresses.size === 1 ? addresses : []
  return { address, isEncrypted: isEncrypted || isHttps(headers) }
}

/** @param peer the result without an entry. An entry that is no address ends the search: who wrote it is unknown */
function lastUntrusted(entries: readonly string[], peer: string, isTrusted: (address: string) => boolean): string {
  let last = peer
  for (const entry of entries.toReversed()) {
    const address = addressOf(entry)
    if (address === null) return last
    last = address
    if (!isTrusted(address)) return last
  }
  return last
}

/** The entries of X-Forwarded-For, the nearest proxy last. Node joins several headers by commas. */
const forwardedFor = (headers: IncomingHttpHeaders) => entriesOf(headers['x-forwarded-for'])

const entriesOf = (header: string | string[] | undefined): string[] =>
  header === undefined || header === ''
    ? []
    : String(header)
        .split(',')
        .map((entry) => entry.trim())

/** The parameters `for` of the header Forwarded; '' where an element has none. */
const forwarded = (headers: IncomingHttpHeaders) =>
  elementsOf(headers.forwarded).map((element) => element.get('for') ?? '')

/** A parameter and the character after it. Source: RFC 7239 section 4. */
const parameterPattern = /[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))[ \t]*(;|,|$)/y

/**
 * The elements of the header Forwarded, each with its parameters. A malformed header has one element without parameters:
 * an attacker may have sent a quotation mark, so that the entry of the proxy appears to be part of a text.
 */
function elementsOf(header: string | undefined): Map<string, string>[] {
  if (header === undefined || header === '') return []
  const elements = [new Map<string, string>()]
  const pattern = new RegExp(parameterPattern)
  while (pattern.lastIndex < header.length) {
    const [, name, quoted, plain, end] = pattern.exec(header) ?? []
    if (name === undefined) return [new Map()]
    elements.at(-1)!.set(name.toLowerCase(), quoted ?? plain!)
    if (end === ',') elements.push(new Map())
  }
  return elements
}

/** The address of an entry without its port; null if the entry is none, such as `unknown`. */
function addressOf(entry: string): string | null {
  const [, bracketed, dotted] = /^\[([0-9a-f:.]+)\](?::\d+)?$|^([\d.]+)(?::\d+)?$/i.exec(entry) ?? []
  const address = bracketed ?? dotted ?? entry
  return isIP(address) !== 0 && !address.includes('%') ? address : null
}

/** Whether the nearest proxy reports TLS. Its entry is the last one. */
function isHttps(headers: IncomingHttpHeaders): boolean {
  const scheme = entriesOf(headers['x-forwarded-proto']).at(-1)
  const parameter = elementsOf(headers.forwarded).at(-1)?.get('proto')
  return [scheme, parameter].some((text) => text?.toLowerCase() === 'https')
}
