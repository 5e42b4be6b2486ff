/**
 * Reads this host's routes, and selects one of its addresses or an unused address range. IPv4 only. All functions
 * except hostRoutes() are pure.
 */
import { readFileSync } from 'node:fs'
import type { NetworkInterfaceInfo } from 'node:os'
import { networksOf } from '../lib/net/networks.ts'
import type { ContainerNetwork } from './engine.ts'

export interface Route {
  /** The destination in CIDR notation, like 10.1.0.0/16. */
  network: string
  /** The name of the interface. */
  device: string
}

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>

/** Names of bridges and virtual interfaces for containers. Other hosts cannot reach their addresses. */
const containerInterface = /^(docker|br-|veth|cni|virbr)/

/** The IPv4 routes of this host; empty if /proc/net/route cannot be read. */
export function hostRoutes(): Route[] {
  try {
    return routesFrom(readFileSync('/proc/net/route', 'utf8'))
  } catch {
    return []
  }
}

/** Parses the text of /proc/net/route. Its addresses are hexadecimal, last byte first. */
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

/** The interface of the default route; null if there is none. */
export function defaultInterface(routes: Route[]): string | null {
  return routes.find(({ network }) => network === '0.0.0.0/0')?.device ?? null
}

/** The names that Docker gives to its bridges. */
const engineBridge = /^(docker0|docker_gwbridge|br-[0-9a-f]{12})$/

/**
 * The ranges of the engine's bridges on this host, also while the engine does not answer. The routes have those without
 * a container, and the interfaces those of IPv6.
 */
export function bridgeNetworks(interfaces: Interfaces, routes: Route[]): ContainerNetwork[] {
  const ofInterfaces = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses.map(({ cidr }) => ({ name, network: cidr ?? '' })),
  )
  return [...ofInterfaces, ...routes.map(({ device, network }) => ({ name: device, network }))]
    .filter(({ name, network }) => engineBridge.test(name) && !network.startsWith('fe80:'))
    .flatMap(({ name, network }) => (networksOf(network) ?? []).map((it) => ({ ...it, name })))
}

/** An IPv4 address that other hosts can reach, if possible of the `preferred` interface; null if there is none. */
export function firstAddress(interfaces: Interfaces, preferred: string | null): string | null {
  const outward = Object.entries(interfaces)
    .filter(([name]) => !containerInterface.test(name))
    .flatMap(([name, addresses = []]) => addresses.map((it) => ({ name, ...it })))
    .filter((it) => it.family === 'IPv4' && !it.internal)
  return (outward.find(({ name }) => name === preferred) ?? outward[0])?.address ?? null
}

/** All IPv4 ranges of this host's addresses and routes, without the default route. */
export function hostRanges(interfaces: Interfaces, routes: Route[]): string[] {
  const own = Object.values(interfaces)
    .flat()
    .filter((it) => it?.family === 'IPv4')
    .map((it) => it?.cidr ?? '')
  return [...own, ...routes.map(({ network }) => network)].filter((it) => it !== '' && it !== '0.0.0.0/0')
}

/** A /16 range that overlaps none of the `taken` ranges; null if every candidate overlaps one of them. */
export function freeRange(taken: string[]): string | null {
  // The candidates avoid 10.0.x.0/24, from which swarms allocate networks, and 10.96, 10.233 and 10.244, which
  // Kubernetes uses by default.
  const candidates = Array.from({ length: 24 }, (_, at) => `10.${200 + at}.0.0/16`)
  return candidates.find((candidate) => !taken.some((it) => overlaps(candidate, it))) ?? null
}

function overlaps(a: string, b: string): boolean {
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
