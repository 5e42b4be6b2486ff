/** The labels by which an application says what it is called and how it is reached: `berth.host` and its like. */
import { domainToASCII } from 'node:url'

export const aliasLabel = 'berth.application'
export const hostLabel = 'berth.host'
export const portLabel = 'berth.port'
export const tlsLabel = 'berth.tls'

export interface Reach {
  /** Another name for the application, in rules. */
  alias: string | null
  hosts: string[]
  port: number
  /** 'auto': a certificate by ACME, and HTTPS only. */
  tls: 'auto' | null
  /** What is wrong with a label, in words that name it. The values are what could be read. */
  faults: string[]
}

const maxHosts = 100

/** What the labels of a service say. */
export function reachOf(labels: Record<string, string>): Reach {
  const faults: string[] = []
  const hosts = hostsOf(labels[hostLabel] ?? '', faults)
  const tls = tlsOf(labels[tlsLabel], faults)
  if (tls === 'auto' && hosts.some(isWildcard))
    faults.push(`${tlsLabel}: a wildcard name gets no certificate by HTTP; upload one for ${hosts.find(isWildcard)}`)
  const alias = labels[aliasLabel]?.trim() ?? ''
  return { alias: alias === '' ? null : alias, hosts, port: portOf(labels[portLabel], faults), tls, faults }
}

/** One name in the form in which requests have it, or null. `*` stands for one whole label at the left. */
export function hostOf(text: string): string | null {
  const rest = text.startsWith('*.') ? text.slice(2) : text
  if (/[*\\/:@?#%[\]\s]/.test(rest)) return null
  const ascii = domainToASCII(rest.replace(/\.$/, '')).toLowerCase()
  if (!namePattern.test(ascii) || (text !== rest && !ascii.includes('.'))) return null
  return text === rest ? ascii : `*.${ascii}`
}

/** Labels of letters, digits, hyphens and underscores; an address is no name. Source: RFC 1035, section 2.3.1. */
const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const namePattern = new RegExp(`^(?=.{1,251}$)(?!\\d+(?:\\.\\d+){3}$)${label}(?:\\.${label})*$`)

export const isWildcard = (host: string): boolean => host.startsWith('*.')

/** Whether a name is meant by a host, of which the first label may be `*`, for one label. */
export function hostMatches(host: string, name: string): boolean {
  return isWildcard(host) ? name.includes('.') && name.slice(name.indexOf('.')) === host.slice(1) : host === name
}

function hostsOf(text: string, faults: string[]): string[] {
  const words = text.split(/[\s,]+/).filter((it) => it !== '')
  if (words.length > maxHosts) faults.push(`${hostLabel}: more than ${maxHosts} names`)
  const hosts = words.slice(0, maxHosts).flatMap((word) => {
    const host = hostOf(word)
    if (host === null) faults.push(`${hostLabel}: ${JSON.stringify(word.slice(0, 100))} is not a host name`)
    return host ?? []
  })
  return [...new Set(hosts)]
}

function portOf(text: string | undefined, faults: string[]): number {
  if (text === undefined || text.trim() === '') return 80
  const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0
  if (port >= 1 && port <= 65_535) return port
  faults.push(`${portLabel}: ${JSON.stringify(text.slice(0, 20))} is not a port from 1 to 65535; 80 is taken`)
  return 80
}

function tlsOf(text: string | undefined, faults: string[]): 'auto' | null {
  const word = text?.trim().toLowerCase() ?? ''
  if (word === 'auto') return 'auto'
  if (word !== '') faults.push(`${tlsLabel}: ${JSON.stringify(text!.slice(0, 20))} is unknown; it is auto or absent`)
  return null
}
