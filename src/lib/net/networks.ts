/** Networks of addresses, as settings name them. Pure. */
import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { bitsOf, plainAddress } from './address.ts'

/** A network: an address and the length of its prefix in bits. */
export interface Network {
  address: string
  prefix: number
}

/** Parses a comma-separated list of addresses and networks. Returns null if a part is neither. */
export function networksOf(text: string): Network[] | null {
  const networks = text.split(',').map((part) => networkOf(part.trim()))
  return networks.every((it) => it !== null) ? networks : null
}

function networkOf(text: string): Network | null {
  const [, address = '', length] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const longest = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1
  const prefix = length === undefined ? longest : Number(length)
  return prefix < 0 || prefix > longest ? null : { address, prefix }
}

export function blockListOf(networks: readonly Network[]): BlockList {
  const list = new BlockList()
  for (const { address, prefix } of networks) list.addSubnet(address, prefix, isIPv4(address) ? 'ipv4' : 'ipv6')
  return list
}

/** @param address an IP address without a zone */
export const has = (list: BlockList, address: string): boolean => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')

/** The same network with its address as `plainAddress` has it: a mapped IPv4 network (::ffff:10.0.0.0/104) is IPv4. */
export function plainNetwork({ address, prefix }: Network): Network {
  const plain = plainAddress(address)
  return isIPv4(plain) && isIPv6(address)
    ? { address: plain, prefix: Math.max(0, prefix - 96) }
    : { address: plain, prefix }
}

/** Whether the networks have an address in common. */
export function overlap(one: Network, other: Network): boolean {
  if (isIPv4(one.address) !== isIPv4(other.address)) return false
  const length = Math.min(one.prefix, other.prefix)
  return bitsOf(one.address).slice(0, length) === bitsOf(other.address).slice(0, length)
}

export const networkText = ({ address, prefix }: Network): string => `${address}/${prefix}`
