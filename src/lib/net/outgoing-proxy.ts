/** The proxies of HTTP_PROXY and HTTPS_PROXY, and which requests go by them. The rules are those of Go, and so of Caddy. */
import { isIP } from 'node:net'
import { unescape as decodePercent } from 'node:querystring'
import { blockListOf, has, type Network, networksOf } from './networks.ts'

export type ProxySetting = 'HTTP_PROXY' | 'HTTPS_PROXY'

export interface OutgoingProxy {
  /** The setting that names the proxy, for messages. */
  setting: ProxySetting
  /** Whether Berth speaks TLS with the proxy. */
  isTls: boolean
  /** A name, or an address without brackets. */
  hostname: string
  port: number
  /** `hostname:port`, for messages. */
  host: string
  /** The value of the header Proxy-Authorization; null: none. */
  authorization: string | null
}

/** A target of a request. `host` is a name, or an address with or without brackets. */
export interface Target {
  protocol: 'http:' | 'https:'
  host: string
  port: number
}

/** Returns the proxy for a target. Null: the request goes directly. */
export type ProxyOf = (target: Target) => OutgoingProxy | null

export interface ProxySettings {
  httpProxy: URL | null
  httpsProxy: URL | null
  /** Hosts that are reached directly: the entries of NO_PROXY. */
  direct: readonly string[]
}

/** Parses the value of HTTP_PROXY or HTTPS_PROXY. The scheme can be left out. Returns null if it is no URL of a proxy. */
export function proxyUrlOf(text: string): URL | null {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  const isProxy = url !== null && /^https?:$/.test(url.protocol) && url.hostname !== ''
  return isProxy && /^\/?$/.test(url.pathname) && url.search === '' && url.hash === '' ? url : null
}

export function proxiesOf({ httpProxy, httpsProxy, direct }: ProxySettings): ProxyOf {
  const http = httpProxy === null ? null : proxyAt(httpProxy, 'HTTP_PROXY')
  const https = httpsProxy === null ? null : proxyAt(httpsProxy, 'HTTPS_PROXY')
  const matchers = direct.map(matcherOf)
  return ({ protocol, host, port }) => {
    const proxy = protocol === 'http:' ? http : https
    const plainHost = withoutBrackets(host).toLowerCase().replace(/\.$/, '')
    return proxy === null || isLoopback(plainHost) || matchers.some((matches) => matches(plainHost, port))
      ? null
      : proxy
  }
}

function proxyAt({ protocol, hostname, port, username, password }: URL, setting: ProxySetting): OutgoingProxy {
  const isTls = protocol === 'https:'
  const number = port === '' ? (isTls ? 443 : 80) : Number(port)
  const credentials = `${decodePercent(username)}:${decodePercent(password)}`
  return {
    setting,
    isTls,
    hostname: withoutBrackets(hostname),
    port: number,
    host: `${hostname}:${number}`,
    authorization: credentials === ':' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
  }
}

const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '')

const loopback = blockListOf(networksOf('127.0.0.0/8,::1')!)

const isLoopback = (host: string): boolean => host === 'localhost' || isIn(loopback, host)

const isIn = (list: ReturnType<typeof blockListOf>, host: string): boolean => isIP(host) !== 0 && has(list, host)

type Matcher = (host: string, port: number) => boolean

/** Returns whether an entry of NO_PROXY names a host. Source: golang.org/x/net/http/httpproxy, type Config. */
function matcherOf(entry: string): Matcher {
  const text = entry.toLowerCase()
  if (text === '*') return () => true
  const networks = networksOf(withoutBrackets(text))
  if (networks !== null) return ofNetworks(networks)
  const [, host = text, port] = /^(.*):(\d{1,5})$/.exec(text) ?? []
  const address = networksOf(withoutBrackets(host))
  const matches = address === null ? ofDomain(host.replace(/^\*\./, '.')) : ofNetworks(address)
  return (targetHost, targetPort) =>
    (port === undefined || Number(port) === targetPort) && matches(targetHost, targetPort)
}

function ofNetworks(networks: Network[]): Matcher {
  const list = blockListOf(networks)
  return (host) => isIn(list, host)
}

/** A domain names itself and the names below it; with a dot in front, only the names below it. */
const ofDomain =
  (domain: string): Matcher =>
  (host) =>
    domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`)
