/**
 * Parses the labels `berth.host`, `berth.port`, `berth.tls`, `berth.preflight` and `berth.application` of a
 * service. Also normalizes and
 * compares host names.
 */
import { domainToASCII } from 'node:url'

export const aliasLabel = 'berth.application'
export const hostLabel = 'berth.host'
export const portLabel = 'berth.port'
export const tlsLabel = 'berth.tls'
export const preflightLabel = 'berth.preflight'

/** The parsed labels of a service. */
export interface RoutingLabels {
  /** Another name by which rules can refer to the application. */
  alias: string | null
  /** Host names in lower case; the first DNS label may be `*`. */
  hosts: string[]
  port: number
  /**
   * 'auto': the proxy redirects HTTP to HTTPS, and obtains a certificate by ACME for each host that has none. It
   * obtains no certificate for a wildcard.
   */
  tls: 'auto' | null
  /** 'open': requests of browsers that ask for permission (CORS preflights) need no password. */
  preflight: 'open' | null
  /**
   * Messages about invalid labels. Each message names the label. Invalid values are left out or replaced by defaults.
   */
  faults: string[]
}

const maxHosts = 100

/** Parses the labels of a service. Never throws: invalid labels are listed in `faults`. */
export function routingLabels(labels: Record<string, string>): RoutingLabels {
  const faults: string[] = []
  const hosts = hostsOf(labels[hostLabel] ?? '', faults)
  const tls = onlyValueOf(labels, tlsLabel, 'auto', faults)
  const preflight = onlyValueOf(labels, preflightLabel, 'open', faults)
  if (tls === 'auto' && hosts.some(isWildcard))
    faults.push(
      `${tlsLabel}: ACME over HTTP issues no certificate for a wildcard; upload one for ${hosts.find(isWildcard)}`,
    )
  const alias = labels[aliasLabel]?.trim() ?? ''
  return { alias: alias === '' ? null : alias, hosts, port: portOf(labels[portLabel], faults), tls, preflight, faults }
}

/**
 * Normalizes a host name to the form that requests contain: lower case, ASCII (punycode) and without a dot at the end.
 * The first DNS label may be `*`. Returns null if the text is not a host name.
 */
export function hostOf(text: string): string | null {
  const rest = text.startsWith('*.') ? text.slice(2) : text
  if (/[*\\/:@?#%[\]\s]/.test(rest)) return null
  const ascii = domainToASCII(rest.replace(/\.$/, '')).toLowerCase()
  if (!namePattern.test(ascii) || (text !== rest && !ascii.includes('.'))) return null
  return text === rest ? ascii : `*.${ascii}`
}

/** One DNS label as in RFC 1035, section 2.3.1, but a digit at the beginning and underscores are allowed too. */
const dnsLabel = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
/** Matches DNS labels separated by dots, but no IPv4 address. */
const namePattern = new RegExp(`^(?=.{1,251}$)(?!\\d+(?:\\.\\d+){3}$)${dnsLabel}(?:\\.${dnsLabel})*$`)

/** Whether the first DNS label is `*`. */
export const isWildcard = (host: string): boolean => host.startsWith('*.')

/** Whether `host` covers `name`. A `*` in `host` matches exactly one DNS label. */
export function hostMatches(host: string, name: string): boolean {
  return isWildcard(host) ? name.includes('.') && name.slice(name.indexOf('.')) === host.slice(1) : host === name
}

function hostsOf(text: string, faults: string[]): string[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '')
  if (entries.length > maxHosts) faults.push(`${hostLabel}: more than ${maxHosts} names; the others are ignored`)
  const hosts = entries.slice(0, maxHosts).flatMap((entry) => {
    const host = hostOf(entry)
    if (host === null) faults.push(`${hostLabel}: ${JSON.stringify(entry.slice(0, 100))} is not a host name`)
    return host ?? []
  })
  return [...new Set(hosts)]
}

function portOf(text: string | undefined, faults: string[]): number {
  if (text === undefined || text.trim() === '') return 80
  const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0
  if (port >= 1 && port <= 65_535) return port
  faults.push(`${portLabel}: ${JSON.stringify(text.slice(0, 20))} is not a port from 1 to 65535; Berth uses 80`)
  return 80
}

/** The value of a label that has only one. */
function onlyValueOf<T extends string>(
  labels: Record<string, string>,
  label: string,
  value: T,
  faults: string[],
): T | null {
  const text = labels[label]?.trim() ?? ''
  if (text.toLowerCase() === value) return value
  if (text !== '')
    faults.push(
      `${label}: ${JSON.stringify(text.slice(0, 20))} is not a valid value; set it to ${value} or remove the label`,
    )
  return null
}
