/** Networks in CIDR notation (RFC 4632, RFC 4291): parsing, canonical text, and the question what they contain. */
import { isIPv4, isIPv6 } from 'node:net'
import { groupsOf } from './address.ts'

/** An address or a network: those addresses of the family whose first `prefix` bits are those of `value`. */
export interface Cidr {
  family: 4 | 6
  value: bigint
  prefix: number
}

const bitsOf = ({ family }: Pick<Cidr, 'family'>) => (family === 4 ? 32 : 128)

/**
 * Parses an address or a network in CIDR notation. Bits after the prefix become 0. An IPv4 address mapped into IPv6
 * (::ffff:192.0.2.7) is an IPv4 address.
 * @returns null for any other text, such as a name or an address with a zone
 */
export function parseCidr(text: string): Cidr | null {
  const [, address = '', length] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  if (!isIPv4(address) && !isIPv6(address)) return null
  const whole = isIPv4(address) ? fromIpv4(address) : fromIpv6(address)
  const bits = isIPv4(address) ? 32 : 128
  const prefix = length === undefined ? bits : Number(length)
  if (prefix > bits) return null
  const isMapped = bits === 128 && prefix >= 96 && whole >> 32n === 0xffffn
  return isMapped
    ? masked({ family: 4, value: whole & 0xffffffffn, prefix: prefix - 96 })
    : masked({ family: bits === 32 ? 4 : 6, value: whole, prefix })
}

const fromIpv4 = (address: string) => address.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n)
const fromIpv6 = (address: string) => groupsOf(address).reduce((value, group) => (value << 16n) | BigInt(group), 0n)

function masked(cidr: Cidr): Cidr {
  const rest = BigInt(bitsOf(cidr) - cidr.prefix)
  return { ...cidr, value: (cidr.value >> rest) << rest }
}

/** The canonical text: `192.0.2.0/24`, `2001:db8::/32` (RFC 5952). An address has its prefix, too: `192.0.2.7/32`. */
export const cidrText = (cidr: Cidr): string => `${addressText(cidr)}/${cidr.prefix}`

function addressText({ family, value }: Cidr): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
  const groups = Array.from({ length: 8 }, (_, at) => ((value >> BigInt(112 - 16 * at)) & 0xffffn).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

/** Whether all addresses of `inner` belong to `outer`. */
export function contains(outer: Cidr, inner: Cidr): boolean {
  const rest = BigInt(bitsOf(outer) - outer.prefix)
  return outer.family === inner.family && inner.prefix >= outer.prefix && inner.value >> rest === outer.value >> rest
}

/** The networks that together have all addresses of `cidr` except those of `excluded`: at most one for each bit. */
export function without(cidr: Cidr, excluded: Cidr): Cidr[] {
  if (contains(excluded, cidr)) return []
  if (!contains(cidr, excluded)) return [cidr]
  const prefix = cidr.prefix + 1
  const upper = cidr.value | (1n << BigInt(bitsOf(cidr) - prefix))
  const halves = [
    { ...cidr, prefix },
    { ...cidr, prefix, value: upper },
  ]
  return halves.flatMap((half) => without(half, excluded))
}
