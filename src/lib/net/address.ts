/** Addresses of callers. Knows no socket. */
import { isIPv6 } from 'node:net'

/**
 * What one caller holds: an IPv4 address, or the /64 of an IPv6 address, for that is what a provider gives to one
 * customer (RFC 6177). A text that is no address stands for itself.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '')
  if (!isIPv6(plain)) return plain
  return `${groupsOf(plain)
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight groups of 16 bits of an IPv6 address without a zone. */
export function groupsOf(address: string): number[] {
  // URL writes it in one form: hexadecimal, lower case, the longest run of zeros as '::'.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const left = head.split(':').filter(Boolean)
  const right = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? [] : new Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
}
