/** Decides which sources a gateway admits, and which entries of a list it cannot enforce. Pure. */
import { type Cidr, cidrText, contains, parseCidr, without } from '../../lib/net/network.ts'
import type { Family, SourceFault } from './reason.ts'
import type { Measurement, Visibility } from './table.ts'

/** The list that stands for an empty one: everyone is allowed. */
export const everyone: readonly string[] = ['0.0.0.0/0', '::/0']

/** The entries in canonical form, without repetitions, in the order of the caller. @throws for an invalid entry */
export const canonicalSources = (sources: readonly string[]): string[] => [
  ...new Set(sources.map(cidrOf).map(cidrText)),
]

function cidrOf(text: string): Cidr {
  const cidr = parseCidr(text)
  if (cidr === null) throw new Error(`${text} is neither an address nor a network`)
  return cidr
}

/** The list that applies: that of the database, or if it has none, that of its project. Empty: everyone. */
export const effectiveSources = (own: readonly string[] | null, ofProject: readonly string[]) => own ?? ofProject

/**
 * ::ffff:0:0/96. HAProxy looks IPv4 addresses up in IPv6 networks in this form: ::/0 would admit all of IPv4. Source:
 * `pat_match_ip` in src/pattern.c of HAProxy 3.0.
 */
const mappedIpv4: Cidr = { family: 6, value: 0xffff_0000_0000n, prefix: 96 }

/**
 * Returns the networks from which the gateway accepts connections. An address that stands for hidden clients is never
 * among them, even if the list has a network that contains it: a list of 172.16.0.0/12 must not admit all of IPv6.
 * @param sources the canonical list; empty: everyone
 * @param measurement null if nothing was measured on the node yet: the list is then taken as it is
 */
export function admittedSources(
  sources: readonly string[],
  measurement: Measurement | null,
): { admitted: readonly string[]; faults: SourceFaultOf[] } {
  if (sources.length === 0) return { admitted: everyone, faults: [] }
  const faults = sources.flatMap((source) => sourceFaultOf(source, measurement) ?? [])
  const faulty = new Set(faults.map(({ source }) => source))
  const excluded = [mappedIpv4, ...(measurement?.hiddenAddresses ?? []).map(cidrOf)]
  const admitted = sources
    .filter((source) => !faulty.has(source))
    .flatMap((source) =>
      excluded.reduce((rest, address) => rest.flatMap((part) => without(part, address)), [cidrOf(source)]),
    )
  return { admitted: [...new Set(admitted.map(cidrText))], faults }
}

/** A fault without the name of the node. */
export type SourceFaultOf = WithoutNode<SourceFault>
type WithoutNode<F> = F extends SourceFault ? Omit<F, 'node'> : never

const loopbacks = ['127.0.0.0/8', '::1/128'].map(cidrOf)

/** Why a gateway on the node cannot tell the source from others; null if it can, or if nothing was measured there. */
export function sourceFaultOf(source: string, measurement: Measurement | null): SourceFaultOf | null {
  if (measurement === null) return null
  const cidr = cidrOf(source)
  if (measurement.hiddenAddresses.some((address) => contains(cidrOf(address), cidr))) {
    return { reason: 'SourceShared', source }
  }
  const family = familyOf(cidr)
  const visibility: Visibility = measurement[family]
  if (visibility === 'kept') return null
  return { reason: visibility === 'hidden' ? 'SourceHidden' : 'SourceUnmeasured', source, family }
}

function familyOf(cidr: Cidr): Family {
  if (loopbacks.some((loopback) => contains(loopback, cidr))) return 'loopback'
  return cidr.family === 4 ? 'ipv4' : 'ipv6'
}

/** Returns a function that tells whether the networks contain an address. */
export function admits(networks: readonly string[]): (address: string) => boolean {
  const cidrs = networks.map(cidrOf)
  return (address) => {
    const cidr = parseCidr(address)
    return cidr !== null && cidrs.some((network) => contains(network, cidr))
  }
}
