/** Loopback addresses: at each of them a program reaches only its own machine or container. */
import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { EgressFault } from './egress.ts'

const loopbackOf = () => {
  const list = new BlockList()
  list.addSubnet('127.0.0.0', 8, 'ipv4')
  list.addSubnet('0.0.0.0', 8, 'ipv4')
  list.addAddress('::1', 'ipv6')
  list.addAddress('::', 'ipv6')
  return list
}

/** Whether the host of a URL is, by its name or address, the machine or container itself. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '')
  if (isIP(address) === 0) return /(?:^|\.)localhost\.?$/.test(host)
  return loopbackOf().check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

type Callback = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void

/** Like dns.lookup, but leaves loopback addresses out. If only these are left, fails with an EgressFault. */
export function lookupWithoutLoopback(host: string, options: LookupAllOptions, callback: Callback): void {
  systemLookup(host, options, (error, addresses) => {
    if (error) return callback(error, [])
    const others = addresses.filter(({ address }) => !isLoopback(address))
    if (others.length > 0) return callback(null, others)
    const [{ address } = { address: host }] = addresses
    callback(new EgressFault(host, address, `${address} is the address of the container itself`), [])
  })
}
