/**
 * The client of a request: the address that limits, sessions and the audit log count, and whether it came over TLS. A
 * client can send any X-Forwarded-For and -Proto, so they count only from a trusted proxy. Pure.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { plainAddress } from '../../lib/net/address.ts'

/** How a request reached Berth. */
export interface Arrival {
  /** The address of the other end of the connection; '' if the connection has ended. */
  peer: string
  /** Whether Berth itself received the request over TLS. */
  isEncrypted: boolean
  headers: IncomingHttpHeaders
}

export interface Client {
  address: string
  isEncrypted: boolean
}

/** More hops than any installation has. Those before them are not read. */
const maxHops = 32

/**
 * Each proxy appends the address that it was called from to X-Forwarded-For. So the chain is read from the right, and
 * the first address that is not a trusted proxy is the client: everything to the left of it is the client's own text.
 * If all addresses are trusted, it is the one farthest left. A hop that is not an address ends the chain, and the proxy
 * that sent it counts.
 */
export function clientOf({ peer, isEncrypted, headers }: Arrival, isTrusted: (address: string) => boolean): Client {
  const sender = plainAddress(peer)
  if (!isTrusted(sender)) return { address: sender, isEncrypted }
  let address = sender
  for (const hop of hopsOf(headers['x-forwarded-for']).toReversed()) {
    const before = addressOfHop(hop)
    if (before === null) break
    address = before
    if (!isTrusted(address)) break
  }
  // The last value is that of the proxy next to Berth.
  return { address, isEncrypted: isEncrypted || hopsOf(headers['x-forwarded-proto']).at(-1)?.toLowerCase() === 'https' }
}

/** The last values of a header, which may be there several times. */
function hopsOf(header: string | string[] | undefined): string[] {
  if (header === undefined) return []
  return String(header)
    .split(',')
    .slice(-maxHops)
    .map((hop) => hop.trim())
}

/** The address of a hop, which some proxies send with a port or in brackets; null if there is none. */
function addressOfHop(hop: string): string | null {
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\]|(\d+(?:\.\d+){3}))(?::\d{1,5})?$/.exec(hop) ?? []
  const address = bracketed ?? dotted ?? hop
  return isIP(address) === 0 ? null : plainAddress(address)
}
