/**
 * Whether a request comes from a page of Berth itself. A browser adds cookies also to requests of other pages, and
 * SameSite does not stop pages on neighbouring names or ports of the same site. Pure.
 * Source of the headers: Fetch Standard (Origin) and Fetch Metadata Request Headers (Sec-Fetch-Site).
 */
import type { IncomingHttpHeaders } from 'node:http'
import { refuse } from '../../errors.ts'
import { checkHost } from './hosts.ts'

/** The parts of a request from which its origin is known. */
export interface Sender {
  method: string
  headers: IncomingHttpHeaders
  /** Whether the request came over TLS, to Berth or to a trusted proxy. */
  isEncrypted: boolean
}

/**
 * Refuses with FORBIDDEN unless the request comes from a page of Berth. A change has to prove it with the header Origin.
 * Browsers send no Origin with a GET of the same origin, so a read has Sec-Fetch-Site. Without TLS browsers send neither
 * to other hosts than localhost. Then the client has to set a header of its own, which a page of another origin cannot
 * do, because Berth answers no CORS preflight.
 *
 * @param hostNames see `checkHost`
 */
export function checkOwnPage(hostNames: ReadonlySet<string>, sender: Sender): void {
  const { method, headers } = sender
  checkHost(hostNames, headers.host)
  const fetchSite = headers['sec-fetch-site']
  if (fetchSite !== undefined && fetchSite !== 'same-origin')
    refusePage(`Sec-Fetch-Site is ${fetchSite}, not same-origin`)
  if (headers.origin !== undefined) checkOrigin(sender)
  else if (method !== 'GET') refusePage('The header Origin is missing')
  else if (fetchSite === undefined && headers['berth-session'] !== 'cookie') {
    refusePage('The request has neither Origin nor Sec-Fetch-Site nor "Berth-Session: cookie"')
  }
}

function checkOrigin(sender: Sender) {
  const { origin, host } = sender.headers
  const url = URL.parse(origin!)
  const isScheme = url?.protocol === 'https:' || (url?.protocol === 'http:' && !sender.isEncrypted)
  // Browsers send the origin in this form only, without a path or a user name.
  const isOrigin = isScheme && url!.origin === origin
  if (isOrigin && url!.host === URL.parse(`${url!.protocol}//${host}`)?.host) return
  refusePage(
    `The page is of ${origin}, but Berth was called as ${host}. A proxy in front of Berth has to pass on the header Host`,
  )
}

function refusePage(reason: string): never {
  refuse('FORBIDDEN', `Only pages of Berth may use the session in a cookie. ${reason}. Programs send a bearer token`)
}

/** Whether the page that sent the request was loaded over TLS, as far as is known. A proxy need not be trusted. */
export const isSecure = ({ isEncrypted, headers }: Sender): boolean =>
  isEncrypted || headers.origin?.startsWith('https://') === true
