/**
 * What this host's own network says: its routes, the address that others reach it by, and a range that is still free.
 * Pure but for hostRoutes(). Knows IPv4 only.
 */
import { readFileSync } from 'node:fs'
import type { NetworkInterfaceInfo } from 'node:os'

/** A destination, in the notation 10.1.0.0/16, and the interface that leads there. */
export interface Route {
  network: string
  device: string
}

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>

/** Bridges and pairs that Docker makes: no other host reaches them. */
const dockersOwn = /^(docker|br-|veth|cni|virbr)/

/** The IPv4 routes of this host; none where Linux does not show them. */
export function hostRoutes(): Route[] {
  try {
    return routesFrom(readFileSync('/proc/net/route', 'utf8'))
  } catch {
    return []
  }
}

/** Reads /proc/net/route: addresses are in hexadecimal, last byte first. */
export function routesFrom(table: string): Route[] {
  return table
    .trim()
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [device, destination, , , , , , mask] = line.split('\t')
      if (!device || !destination || !mask) return []
      const address = Buffer.from(destination, 'hex').reverse().join('.')
      const ones = Number.parseInt(mask, 16).toString(2).replaceAll('0', '').length
      return [{ device, network: `${address}/${ones}` }]
    })
}

export function defaultInterface(routes: Route[]): string | null {
  return routes.find(({ network }) => network === '0.0.0.0/0')?.device ?? null
}

/** The first outward IPv4 address, of the preferred interface where that has one. */
export function firstAddress(interfaces: Interfaces, preferred: string | null): string | null {
  const outward = Object.entries(interfaces)
    .filter(([name]) => !dockersOwn.test(name))
    .flatMap(([name, addresses = []]) => addresses.map((it) => ({ name, ...it })))
    .filter((it) => it.family === 'IPv4' && !it.internal)
  return (outward.find(({ name }) => name === preferred) ?? outward[0])?.address ?? null
}

/** All IPv4 ranges that this host is in or routes to, but for the default route. */
export function hostRanges(interfaces: Interfaces, routes: Route[]): string[] {
  const own = Object.values(interfaces)
    .flat()
    .filter((it) => it?.family === 'IPv4')
    .map((it) => it?.cidr ?? '')
  return [...own, ...routes.map(({ network }) => network)].filter((it) => it !== '' && it !== '0.0.0.0/0')
}

/** A range for 65,000 addresses which meets none of those taken; null where all meet one. */
export function freeRange(taken: string[]): string | null {
  // Clear of 10.0.x.0/24, from which swarms take theirs, and of 10.96, 10.233 and 10.244, which Kubernetes likes.
  const candidates = Array.from({ length: 24 }, (_, at) => `10.${200 + at}.0.0/16`)
  return candidates.find((candidate) => !taken.some((it) => meet(candidate, it))) ?? null
}

function meet(a: string, b: string): boolean {
  const [first, second] = [rangeOf(a), rangeOf(b)]
  return first.from <= second.to && second.from <= first.to
}

function rangeOf(network: string): { from: number; to: number } {
  const [address = '', bits = '32'] = network.split('/')
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const size = 2 ** (32 - Number(bits))
  const from = Math.floor(number / size) * size
  return { from, to: from + size - 1 }
}
