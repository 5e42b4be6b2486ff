/** IP addresses as text. */
import { isIP, isIPv6 } from 'node:net'

/** Whether the text is an IP address, without brackets. */
export const isAddress = (text: string): boolean => isIP(text) !== 0

/**
 * The network of one caller: an IPv4 address, or the /64 of an IPv6 address, because a provider gives a customer at
 * least a /64 (RFC 6177). The text is not checked: if it is not an IPv6 address, only a zone
 * (`%eth0`) and a leading `::ffff:` are removed from it.
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
  // URL normalizes the address: hexadecimal, lower case, the longest run of zeros as '::'.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const left = head.split(':').filter(Boolean)
  const right = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? [] : new Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
}
