/** The URL at which clients on other machines reach Berth. Pure. */

export interface PublicUrl {
  /** Such as https://berth.example.org or https://berth.example.org:8443. */
  origin: string
  /** The host name in lower case, without the port. */
  host: string
  port: number
}

/** One DNS label. Source: RFC 1035 section 2.3.1, and RFC 1123 section 2.1 for a digit at the beginning. */
const dnsLabel = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const namePattern = new RegExp(`^(?=.{1,253}$)${dnsLabel}(?:\\.${dnsLabel})*$`)

/**
 * Parses an https URL that consists of a host name and perhaps a port. Returns null for other texts, and for hosts that
 * have no certificate of their own: addresses, because clients send no address in a TLS handshake, and `localhost`.
 */
export function publicUrlOf(text: string): PublicUrl | null {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' || url.href !== `${url.origin}/`) return null
  const host = url.hostname
  const isName = namePattern.test(host) && !/(?:^|\.)(?:localhost|\d+)$/.test(host)
  return isName ? { origin: url.origin, host, port: url.port === '' ? 443 : Number(url.port) } : null
}
