/**
 * The host names of Berth. A page of another site can point its own name to Berth's address (DNS rebinding) and is then
 * of the same origin for a browser. So what only browsers use is refused under a name that Berth does not know. Pure.
 */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { refuse } from '../../errors.ts'

/** The name and the port of a header Host. Source: RFC 9110 section 7.2. */
const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]{1,253})(?::\d{1,5})?$/i

/**
 * The host that a request names; undefined if it names none or more than one. Node takes the first of several headers
 * Host, and does not compare it with the host of a target in absolute form (`GET http://host/path`). A proxy in front of
 * Berth may take another one. Source: RFC 9112 section 3.2.
 */
export function hostOf({ url, headers, rawHeaders }: IncomingMessage): string | undefined {
  const times = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length
  const target = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url ?? '')?.[1]
  const isAmbiguous = target !== undefined && target.toLowerCase() !== headers.host?.toLowerCase()
  return times === 1 && !isAmbiguous ? headers.host : undefined
}

/**
 * Refuses with FORBIDDEN if the header Host has an unknown name. Addresses and `localhost` are always known.
 *
 * @param hostNames the names of the settings, in lower case
 * @param host see `hostOf`
 */
export function checkHost(hostNames: ReadonlySet<string>, host: string | undefined): void {
  const name = nameOf(host)
  if (name === null) refuse('FORBIDDEN', 'The header Host is missing, malformed or ambiguous')
  if (isAddress(name) || isLoopback(name) || hostNames.has(name)) return
  refuse(
    'FORBIDDEN',
    `This Berth does not know the host name ${name}. If the name is right, add it to the setting BERTH_HOSTS`,
  )
}

/** The name without port and final dot, in lower case; null if the header is malformed. */
function nameOf(host: string | undefined): string | null {
  const name = hostPattern.exec(host ?? '')?.[1]
  return name === undefined ? null : name.toLowerCase().replace(/\.$/, '')
}

const isAddress = (name: string) => isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0

/** Source: RFC 6761 section 6.3. Browsers resolve these names to the loopback address. */
const isLoopback = (name: string) => name === 'localhost' || name.endsWith('.localhost')
