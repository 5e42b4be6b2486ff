/**
 * Refuses requests to link-local addresses and to the metadata services of clouds, which hand out credentials of this
 * machine. The check is made for each connection, on the resolved address that the connection uses. A request by a proxy
 * is checked only if its URL has an address: the proxy resolves names.
 */
import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns'
import { Agent as HttpAgent, type AgentOptions, type ClientRequest } from 'node:http'
import { Agent as HttpsAgent, type AgentOptions as HttpsAgentOptions } from 'node:https'
import { connect as connectTo, isIP, isIPv6, type LookupFunction, Socket } from 'node:net'
import { dotted, groupsOf } from './address.ts'
import { addressToProxy, connectToProxy, openTunnel } from './by-proxy.ts'
import { blockListOf, has, type Network, networksOf } from './networks.ts'
import type { OutgoingProxy, ProxyOf, Target } from './outgoing-proxy.ts'

export interface Egress {
  /** Checks the host of a URL. Returns null for a name, and for an address that requests may go to. */
  faultOf(host: string): EgressFault | null
  /** The proxy by which requests to this URL go, or null. */
  proxyOf(url: URL): OutgoingProxy | null
  /** Connections of this agent fail with an EgressFault if they lead to a refused address, or with a ProxyFault. */
  httpAgent(options: AgentOptions): HttpAgent
  /** Like `httpAgent`, for TLS. */
  httpsAgent(options: HttpsAgentOptions): HttpsAgent
  /** A connection for another protocol than HTTP, without a proxy. It fails with an EgressFault like those of the agents. */
  connect(target: { host: string; port: number }): Socket
}

/** A request would have gone to a refused address. The message is meant for the caller. */
export class EgressFault extends Error {
  /** The message without the requested host, for a log. */
  readonly reason: string

  constructor(host: string, address: string) {
    const reason =
      `${address} is a link-local address or a metadata service of a cloud. Berth sends no requests to such ` +
      `addresses. To allow this address, start Berth with BERTH_EGRESS_ALLOW=${address}`
    super(host === address ? reason : `${host} resolves to ${address}. ${reason}`)
    this.name = 'EgressFault'
    this.reason = reason
  }
}

/** Link-local addresses (RFC 3927, RFC 4291), and the metadata services that clouds document. */
const refused = [
  '169.254.0.0/16', // link-local; most clouds' metadata at 169.254.169.254
  'fe80::/10', // link-local
  'fd00:ec2::/32', // Amazon
  'fd20:ce::254', // Google
  'fd00:c1::a9fe:a9fe', // Oracle
  'fd00:42::42', // Scaleway
  '100.100.100.200', // Alibaba
  '100.96.0.96', // Volcengine
  '168.63.129.16', // Azure, for the agents of its virtual machines
  '192.0.0.192', // Oracle's former address
].join(',')

/** IPv6 that ends with an embedded IPv4 address: compatible, mapped, translated, and NAT64 (RFC 6052, RFC 8215). */
const embeddingNetworks = '::/96,::ffff:0:0/96,::ffff:0:0:0/96,64:ff9b::/96,64:ff9b:1::/48'
/** 6to4 (RFC 3056): the IPv4 address follows the first 16 bits. */
const sixToFour = '2002::/16'

type Lookup = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/**
 * @param allow networks to which requests may go although they are refused by default
 * @param resolve dns.lookup, or a replacement in tests
 * @param proxyFor the proxies of the settings. Default: none
 */
export function egressOf(allow: Network[], resolve: Lookup = systemLookup, proxyFor: ProxyOf = () => null): Egress {
  const [refusedList, allowed] = [blockListOf(networksOf(refused)!), blockListOf(allow)]
  const embedding = blockListOf(networksOf(embeddingNetworks)!)
  const sixToFourList = blockListOf(networksOf(sixToFour)!)

  const isRefused = (addressWithZone: string): boolean => {
    const address = addressWithZone.replace(/%.*$/, '')
    const forms = [address, ...embeddedAddresses(address)]
    return forms.some((form) => has(refusedList, form)) && !forms.some((form) => has(allowed, form))
  }

  /** The IPv4 address embedded in an IPv6 address, if there is one. */
  const embeddedAddresses = (address: string): string[] => {
    if (!isIPv6(address)) return []
    const groups = groupsOf(address)
    if (has(sixToFourList, address)) return [dotted(groups[1]!, groups[2]!)]
    const isIsatap = groups[5] === 0x5efe && (groups[4]! & ~0x0200) === 0
    return has(embedding, address) || isIsatap ? [dotted(groups[6]!, groups[7]!)] : []
  }

  const faultOf = (host: string): EgressFault | null => {
    const address = host.replace(/^\[|\]$/g, '')
    return isIP(address) !== 0 && isRefused(address) ? new EgressFault(address, address) : null
  }

  /** Resolves a name to those of its addresses that requests may go to. */
  const lookup: LookupFunction = (host, options, callback) => {
    resolve(host, { ...options, all: true } as LookupAllOptions, (error, addresses) => {
      if (error) return callback(error, '')
      const allowedAddresses = addresses.filter(({ address }) => !isRefused(address))
      const [first] = allowedAddresses
      if (first === undefined) return callback(new EgressFault(host, addresses[0]?.address ?? host), '')
      if (options.all === true) callback(null, allowedAddresses)
      else callback(null, first.address, first.family)
    })
  }

  const guard = { faultOf, proxyFor }
  return {
    faultOf,
    proxyOf: ({ protocol, hostname, port }) => {
      const isPlain = protocol === 'http:'
      const number = port === '' ? (isPlain ? 80 : 443) : Number(port)
      return proxyFor({ protocol: isPlain ? 'http:' : 'https:', host: hostname, port: number })
    },
    httpAgent: (options) =>
      addressed(guarded(new HttpAgent({ ...options, lookup } as AgentOptions), 'http:', guard), guard),
    httpsAgent: (options) => guarded(new HttpsAgent({ ...options, lookup } as HttpsAgentOptions), 'https:', guard),
    connect(target) {
      const fault = faultOf(target.host)
      return fault === null ? connectTo({ ...target, lookup, noDelay: true }) : new Socket().destroy(fault)
    },
  }
}

interface Guard {
  faultOf: Egress['faultOf']
  proxyFor: ProxyOf
}

/** Makes an agent check each target, and connect by its proxy. */
function guarded<T extends HttpAgent>(agent: T, protocol: Target['protocol'], { faultOf, proxyFor }: Guard): T {
  const connect = agent.createConnection.bind(agent)
  // Node resolves no literal address, so `lookup` does not check it.
  agent.createConnection = (options, callback) => {
    const target = { protocol, host: options.host ?? '', port: Number(options.port) }
    const fault = faultOf(target.host)
    const proxy = proxyFor(target)
    if (fault === null && proxy === null) return connect(options, callback)
    const opened = fault === null ? openBy(proxy!, target) : Promise.reject(fault)
    opened
      .then((socket) => (protocol === 'http:' ? socket : connect({ ...options, socket } as Options)!))
      .then(
        (socket) => callback?.(null, socket),
        (error: Error) => callback?.(error, undefined as never),
      )
    return undefined
  }
  return agent
}

type Options = Parameters<HttpAgent['createConnection']>[0]

const openBy = (proxy: OutgoingProxy, target: Target): Promise<Socket> =>
  target.protocol === 'http:' ? connectToProxy(proxy, target) : openTunnel(proxy, target)

/** An agent with the method by which node:http hands over a request, before its headers are sent. */
interface Queueing extends HttpAgent {
  addRequest(sent: ClientRequest, options: { host: string; port: number | string }): void
}

/** Makes an agent write plain requests as their proxy expects them. */
function addressed(agent: HttpAgent, { proxyFor }: Guard): HttpAgent {
  const queueing = agent as Queueing
  const add = queueing.addRequest.bind(agent)
  queueing.addRequest = (sent, options) => {
    const target = { protocol: 'http:', host: options.host, port: Number(options.port) } as const
    const proxy = proxyFor(target)
    if (proxy !== null) addressToProxy(sent, proxy, target)
    add(sent, options)
  }
  return agent
}
