/** IP addresses of callers as text. */
import { isIPv4, isIPv6 } from 'node:net'

/**
 * The network of one caller: an IPv4 address, or the /64 of an IPv6 address, because a provider gives a customer at
 * least a /64 (RFC 6177). The text is not checked: if it is not an address, only a zone (`%eth0`) is removed from it.
 */
export function networkOf(address: string): string {
  const plain = plainAddress(address)
  if (!isIPv6(plain)) return plain
  return `${groupsOf(plain)
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight groups of 16 bits of an IPv6 address without a zone. */
export function groupsOf(address: string): number[] {
  // URL normalizes the address: hexadecimal, lower case, the longest run of zeros as '::'.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const left = head.split(':').filter(Boolean)
  const right = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? [] : new Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
}

/**
 * The usual form of an address, so that each address has one text only: without a zone, IPv6 as RFC 5952 has it, and
 * IPv4 in place of an IPv6 address that maps it (`::ffff:192.0.2.7`). A socket for both families has such addresses.
 */
export function plainAddress(address: string): string {
  const plain = address.replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain
  const groups = groupsOf(plain)
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0)
  return isMapped ? dotted(groups[6]!, groups[7]!) : new URL(`http://[${plain}]`).hostname.slice(1, -1)
}

/** An IPv4 address of two groups of 16 bits. */
export const dotted = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.')

/** The bits of an address, as a text of 32 or 128 digits. */
export function bitsOf(address: string): string {
  const [parts, length] = isIPv4(address) ? [address.split('.').map(Number), 8] : [groupsOf(address), 16]
  return parts.map((part) => part.toString(2).padStart(length, '0')).join('')
}
